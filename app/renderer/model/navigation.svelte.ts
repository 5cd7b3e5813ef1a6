export type Page = 'traffic' | 'compose' | 'benchmark' | 'setup' | 'settings';

/** Which page of the rail is open. */
export class Navigation {
  #page = $state<Page>('traffic');
  #licencesOpen = $state(false);
  /** What the search of Settings begins with. */
  settingsSearch = '';

  get page(): Page {
    return this.#page;
  }

  open(page: Page): void {
    this.settingsSearch = '';
    this.#page = page;
  }

  /** Whether Settings shows the licences of what Weir is made of. */
  get licencesOpen(): boolean {
    return this.#licencesOpen;
  }

  openLicences(): void {
    this.open('settings');
    this.#licencesOpen = true;
  }

  closeLicences(): void {
    this.#licencesOpen = false;
  }

  /** Opens Settings at what a search finds. */
  openSettings(search: string): void {
    this.settingsSearch = search;
    this.#page = 'settings';
  }
}
