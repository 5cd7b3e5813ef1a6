import { renderPage } from './page-frame.ts';

/** Where a fresh browser begins, below the magic host. */
export const WELCOME_PATH = '/welcome';

/**
 * What a browser that was opened by Weir shows first. It comes over HTTPS, so that seeing it proves that the browser goes
 * through Weir and trusts its certificate, and so that the list has a decrypted exchange from the first moment.
 */
export function renderWelcomePage(): string {
  return renderPage(
    'This browser goes through Weir',
    `<p>Go to any address. Each request appears in Weir as it is made, HTTPS decrypted; this page is the first of them.</p>
<section>
<h2>What is different here</h2>
<ul>
<li>This window has a profile of its own: no bookmarks, no extensions, no sign-ins of yours.</li>
<li>It alone trusts the certificate of this Weir. Your other browsers and this computer are as they were.</li>
<li>Close it when you are done, and its profile is deleted. What was recorded stays in Weir.</li>
</ul>
</section>`,
  );
}
