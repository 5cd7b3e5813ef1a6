/**
 * The Content-Security-Policy of the inspector's page, the same from the control port and in the desktop window. Inline
 * styles are what Svelte and CodeMirror write; `blob:` and `data:` images and fonts are decoded bodies; nothing else
 * comes from anywhere but the page's own origin.
 */
export const PAGE_SECURITY_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' blob: data:",
  "font-src 'self' blob: data:",
  "connect-src 'self'",
  "worker-src 'self' blob:",
  "frame-src 'self' blob:",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');
