import '@fontsource-variable/inter/wght.css';
import '@fontsource-variable/jetbrains-mono/wght.css';
import '../../../app/renderer/tokens.css';
import '../../../app/renderer/base.css';
import { mount } from 'svelte';
import InspectorApp from '../../../app/renderer/inspector-app.svelte';
import { App } from '../../../app/renderer/model/app.svelte.ts';
import { Connection } from '../../../app/renderer/model/connection.svelte.ts';
import { FakeBackend } from '../fake-backend.ts';

declare global {
  interface Window {
    /** The backend of this page, for tests to play. */
    fake: FakeBackend;
  }
}

const fake = new FakeBackend(Number(new URLSearchParams(location.search).get('rows') ?? 0));
window.fake = fake;

const connect = (): Promise<FakeBackend> =>
  fake.closed ? Promise.reject(new Error('The fake is closed.')) : Promise.resolve(fake);
mount(InspectorApp, { target: document.body, props: { app: new App(new Connection(connect)) } });
