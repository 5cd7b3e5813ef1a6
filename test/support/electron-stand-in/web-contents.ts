import { EventEmitter } from 'node:events';
import type { CDPSession, Page, Request, Route } from 'playwright-core';
import { toOwn, toShown } from './addresses.ts';
import { fromText, toText } from './frame-text.ts';
import { BINDING, preloadProgram, WORLD } from './page-bridge.ts';
import type { FromPage, ToPage } from './page-bridge.ts';
import type { StandInPort } from './ports.ts';

export interface NavigationEvent {
  readonly url: string;
  readonly defaultPrevented: boolean;
  preventDefault(): void;
}

interface ContentsEvents {
  'will-navigate': [event: NavigationEvent];
  'will-redirect': [event: NavigationEvent];
  'will-attach-webview': [event: NavigationEvent];
  'render-process-gone': [event: object, details: { reason: string; exitCode: number }];
  destroyed: [];
}

/** Only `deny` is asked of the stand-in: it closes whatever a page opens. */
type WindowOpenHandler = (details: { url: string }) => { action: 'deny' };

/** A message from a page, as `ipcMain` gets it. */
export interface IpcEvent {
  readonly sender: StandInWebContents;
  readonly senderFrame: { readonly url: string; readonly parent: null };
  readonly ports: readonly StandInPort[];
}

export function navigationEvent(url: string): NavigationEvent {
  return {
    url,
    defaultPrevented: false,
    preventDefault() {
      (this as { defaultPrevented: boolean }).defaultPrevented = true;
    },
  };
}

/** Electron's WebContents over a page of a real Chromium. */
export class StandInWebContents extends EventEmitter<ContentsEvents> {
  windowOpenHandler: WindowOpenHandler | null = null;
  readonly #page: Promise<Page>;
  #loaded: Page | null = null;
  #bridge: CDPSession | null = null;
  #world: number | null = null;
  #destroyed = false;
  /** The address that the program itself asked for: not a navigation by the page. */
  #expected: string | null = null;
  readonly #ports = new Map<number, StandInPort>();
  #nextPort = 1;
  readonly #onIpc: (channel: string, event: IpcEvent, args: readonly unknown[]) => void;

  constructor(
    page: Promise<Page>,
    preload: string | null,
    onIpc: (channel: string, event: IpcEvent, args: readonly unknown[]) => void,
  ) {
    super();
    this.#onIpc = onIpc;
    this.#page = page.then(async (made) => {
      await this.#attach(made, preload);
      return made;
    });
  }

  async loadURL(url: string): Promise<void> {
    const page = await this.#page;
    this.#expected = toShown(url);
    await page.goto(this.#expected, { waitUntil: 'load' });
  }

  reload(): void {
    void this.#page.then((page) => {
      this.#expected = page.url();
      return page.reload();
    });
  }

  getURL(): string {
    return this.#loaded === null ? '' : toOwn(this.#loaded.url());
  }

  isDestroyed(): boolean {
    return this.#destroyed;
  }

  setWindowOpenHandler(handler: WindowOpenHandler): void {
    this.windowOpenHandler = handler;
  }

  send(channel: string, ...args: readonly unknown[]): void {
    this.#deliver({ kind: 'ipc', channel, args, ports: [] });
  }

  postMessage(channel: string, message: unknown, ports: readonly StandInPort[] = []): void {
    const ids = ports.map((port) => {
      const id = this.#nextPort;
      this.#nextPort += 1;
      this.#ports.set(id, port);
      return id;
    });
    this.#deliver({ kind: 'ipc', channel, args: [message], ports: ids });
    for (const [index, port] of ports.entries()) {
      const id = ids[index] ?? 0;
      port.sendAway(
        (data) => {
          this.#deliver({ kind: 'port', port: id, data });
        },
        () => {
          this.#deliver({ kind: 'close', port: id });
        },
      );
    }
  }

  /** The page is gone, and its ports with it. */
  destroy(): void {
    if (this.#destroyed) return;
    this.#destroyed = true;
    this.#closePorts();
    this.emit('destroyed');
  }

  async close(): Promise<void> {
    const page = await this.#page;
    if (!page.isClosed()) await page.close();
  }

  /** Asks the guards about a navigation of the page's main frame. @returns whether it may happen */
  mayNavigate(request: Request): boolean {
    const url = request.url();
    if (url.split('#')[0] === this.#expected?.split('#')[0]) {
      this.#expected = null;
      return true;
    }
    const event = navigationEvent(toOwn(url));
    this.emit(request.redirectedFrom() === null ? 'will-navigate' : 'will-redirect', event);
    return !event.defaultPrevented;
  }

  async #attach(page: Page, preload: string | null): Promise<void> {
    const bridge = await page.context().newCDPSession(page);
    bridge.on('Runtime.executionContextCreated', ({ context }) => {
      const facts = context.auxData as { frameId?: string } | undefined;
      if (context.name === WORLD && facts?.frameId === this.#mainFrame) {
        this.#closePorts(); // those of the document before
        this.#world = context.id;
      }
    });
    bridge.on('Runtime.bindingCalled', ({ name, payload, executionContextId }) => {
      if (name === BINDING && executionContextId === this.#world) this.#receive(fromText(payload) as FromPage);
    });
    bridge.on('Page.windowOpen', ({ url }) => {
      this.windowOpenHandler?.({ url: toOwn(url) });
    });
    const { frameTree } = await bridge.send('Page.getFrameTree');
    this.#mainFrame = frameTree.frame.id;
    await bridge.send('Page.enable');
    await bridge.send('Runtime.enable');
    if (preload !== null) {
      await bridge.send('Runtime.addBinding', { name: BINDING, executionContextName: WORLD });
      await bridge.send('Page.addScriptToEvaluateOnNewDocument', { source: preloadProgram(preload), worldName: WORLD });
    }
    page.on('crash', () => this.emit('render-process-gone', {}, { reason: 'crashed', exitCode: 1 }));
    this.#bridge = bridge;
    this.#loaded = page;
  }

  #mainFrame = '';

  #receive(message: FromPage): void {
    if (message.kind === 'port') {
      this.#ports.get(message.port)?.peer?.deliver(message.data);
      return;
    }
    const event: IpcEvent = { sender: this, senderFrame: { url: this.getURL(), parent: null }, ports: [] };
    this.#onIpc(message.channel, event, message.args);
  }

  #deliver(message: ToPage): void {
    if (this.#bridge === null || this.#world === null || this.#destroyed) return;
    const expression = `standInReceive(${JSON.stringify(toText(message))})`;
    // A page that is going away takes no more messages.
    this.#bridge.send('Runtime.evaluate', { expression, contextId: this.#world }).catch(() => undefined);
  }

  #closePorts(): void {
    for (const port of this.#ports.values()) port.close();
    this.#ports.clear();
  }
}

/** Fulfils a request for `app://…` from the handler that the program registered. */
export async function fulfilFrom(
  route: Route,
  handler: (request: globalThis.Request) => Promise<Response> | Response,
): Promise<void> {
  const request = route.request();
  const response = await handler(new Request(toOwn(request.url()), { method: request.method() }));
  await route.fulfill({
    status: response.status,
    headers: Object.fromEntries(response.headers),
    body: Buffer.from(await response.arrayBuffer()),
  });
}
