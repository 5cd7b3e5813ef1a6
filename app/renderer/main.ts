import '@fontsource-variable/inter/wght.css';
import '@fontsource-variable/jetbrains-mono/wght.css';
import './tokens.css';
import './base.css';
import { mount } from 'svelte';
import InspectorApp from './inspector-app.svelte';
import { connectElectron } from './host/electron.ts';
import { connectWeb } from './host/web.ts';
import { App } from './model/app.svelte.ts';
import { Connection } from './model/connection.svelte.ts';

// The desktop shell says by the fragment that it hands out a port; any other page has a web server.
const connect = location.hash === '#desktop' ? connectElectron : connectWeb;

mount(InspectorApp, { target: document.body, props: { app: new App(new Connection(connect)) } });
document.querySelector('.first-frame')?.remove();
