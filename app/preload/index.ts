import { ipcRenderer } from 'electron';
import type { BackendDown, OfferedFile, PageHello, PageNews } from '../contract/desktop.ts';
import { DESKTOP_CHANNELS } from '../contract/desktop.ts';

// Hands the page one port to the backend, and word when there is none; and files that the system opened with Weir, a port
// each. Nothing is exposed to it but these messages.

window.addEventListener('message', (event: MessageEvent<Partial<PageHello> | null>) => {
  if (event.source === window && event.data?.type === 'weir:hello') ipcRenderer.send(DESKTOP_CHANNELS.hello);
});

ipcRenderer.on(DESKTOP_CHANNELS.port, (event) => {
  const news: PageNews = { type: 'weir:port' };
  window.postMessage(news, location.origin, event.ports);
});

ipcRenderer.on(DESKTOP_CHANNELS.down, (_event, down: BackendDown) => {
  const news: PageNews = { type: 'weir:backend', state: 'down', message: down.message };
  window.postMessage(news, location.origin);
});

ipcRenderer.on(DESKTOP_CHANNELS.file, (event, file: OfferedFile) => {
  const news: PageNews = { type: 'weir:file', file };
  window.postMessage(news, location.origin, event.ports);
});

ipcRenderer.on(DESKTOP_CHANNELS.refused, (_event, message: string) => {
  const news: PageNews = { type: 'weir:file-refused', message };
  window.postMessage(news, location.origin);
});
