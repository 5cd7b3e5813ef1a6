/** Name of the isolated world that the preload script runs in: the page's own scripts do not see into it. */
export const WORLD = 'electron-preload';

/** What the isolated world calls to reach the stand-in; one text a call. */
export const BINDING = 'standInSend';

/** Page to stand-in. */
export type FromPage =
  | { readonly kind: 'ipc'; readonly channel: string; readonly args: readonly unknown[] }
  | { readonly kind: 'port'; readonly port: number; readonly data: unknown };

/** Stand-in to page. */
export type ToPage =
  | {
      readonly kind: 'ipc';
      readonly channel: string;
      readonly args: readonly unknown[];
      readonly ports: readonly number[];
    }
  | { readonly kind: 'port'; readonly port: number; readonly data: unknown }
  | { readonly kind: 'close'; readonly port: number };

/** The script that runs before a page's own: a `require('electron')` for sandboxed preload scripts, then the script. */
export function preloadProgram(preload: string): string {
  return `(() => {
  if (window !== window.top) return;
  const toText = (value) => JSON.stringify(value, (key, member) => {
    if (!(member instanceof Uint8Array)) return member;
    let binary = '';
    for (const byte of member) binary += String.fromCharCode(byte);
    return { $bytes: btoa(binary) };
  });
  const fromText = (text) => JSON.parse(text, (key, member) =>
    member && typeof member === 'object' && '$bytes' in member
      ? Uint8Array.from(atob(member.$bytes), (letter) => letter.charCodeAt(0))
      : member);
  const refuseTheRest = (name, part) => new Proxy(part, {
    get(target, key) {
      if (key in target || typeof key === 'symbol') return target[key];
      throw new Error('The Electron stand-in has no ' + name + '.' + key + ' for preload scripts.');
    },
  });
  const send = (message) => ${BINDING}(toText(message));
  const listeners = new Map();
  const ports = new Map();
  const arrive = (id) => {
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = (event) => send({ kind: 'port', port: id, data: event.data });
    ports.set(id, port1);
    return port2;
  };
  globalThis.standInReceive = (text) => {
    const message = fromText(text);
    if (message.kind === 'port') ports.get(message.port)?.postMessage(message.data);
    else if (message.kind === 'close') { ports.get(message.port)?.close(); ports.delete(message.port); }
    else {
      const event = { ports: message.ports.map(arrive) };
      for (const listener of listeners.get(message.channel) ?? []) listener(event, ...message.args);
    }
  };
  const ipcRenderer = refuseTheRest('ipcRenderer', {
    send: (channel, ...args) => send({ kind: 'ipc', channel, args }),
    on: (channel, listener) => { listeners.set(channel, [...(listeners.get(channel) ?? []), listener]); },
  });
  const require = (name) => {
    if (name === 'electron') return refuseTheRest('electron', { ipcRenderer });
    throw new Error('A sandboxed preload script cannot require ' + name);
  };
  const module = { exports: {} };
  ((exports, require, module) => {
${preload}
  })(module.exports, require, module);
})();`;
}
