import '@fontsource-variable/inter/wght.css';
import '@fontsource-variable/jetbrains-mono/wght.css';
import './tokens.css';
import './base.css';
import { mount } from 'svelte';
import InspectorApp from './inspector-app.svelte';
import { connectElectron, receiveFiles } from './host/electron.ts';
import { connectWeb } from './host/web.ts';
import { App } from './model/app.svelte.ts';
import { Connection } from './model/connection.svelte.ts';

// The desktop shell says by the fragment that it hands out a port; any other page has a web server.
// `weir open FILE` names the session that the page begins with.
const asked = new URLSearchParams(location.hash.slice(1)).get('session');
const desktop = location.hash === '#desktop';
const app = new App(new Connection(desktop ? connectElectron : connectWeb));
if (asked !== null) {
  app.showSessionOf(Number(asked)).catch((error: unknown) => {
    app.toasts.fail(error);
  });
}
if (desktop) {
  receiveFiles(
    (source) => void app.imports.take([source]),
    (message) => {
      app.toasts.fail(message);
    },
  );
}

mount(InspectorApp, { target: document.body, props: { app } });
document.querySelector('.first-frame')?.remove();
