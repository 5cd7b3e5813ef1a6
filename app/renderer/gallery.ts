import '@fontsource-variable/inter/wght.css';
import '@fontsource-variable/jetbrains-mono/wght.css';
import './tokens.css';
import './base.css';
import { mount } from 'svelte';
import Gallery from './features/gallery/gallery.svelte';

// Development only: the build does not know this page. `npm run dev`, then /gallery.
mount(Gallery, { target: document.body });
