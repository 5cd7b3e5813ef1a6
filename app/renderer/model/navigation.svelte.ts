export type Page = 'traffic' | 'compose' | 'benchmark' | 'setup' | 'settings';

/** Which page of the rail is open. */
export class Navigation {
  #page = $state<Page>('traffic');

  get page(): Page {
    return this.#page;
  }

  open(page: Page): void {
    this.#page = page;
  }
}
