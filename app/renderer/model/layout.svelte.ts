/** From this window width the sidebar stands open and the detail at the right, px. */
const WIDE_FROM = 1_200;

/** The window's shape. */
export class Layout {
  #width = $state(window.innerWidth);

  constructor() {
    window.addEventListener('resize', () => {
      this.#width = window.innerWidth;
    });
  }

  get narrow(): boolean {
    return this.#width < WIDE_FROM;
  }
}
