/**
 * One of Weir's own pages: one file without scripts or other resources.
 *
 * @param title plain text, also the heading
 * @param content HTML below the heading
 */
export function renderPage(title: string, content: string): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="no-referrer">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; img-src data:; style-src 'unsafe-inline'">
<link rel="icon" href="data:,">
<title>${escapeHtml(title)}</title>
<style>${STYLE}</style>
</head>
<body>
<main>
<h1>${escapeHtml(title)}</h1>
${content}
</main>
</body>
</html>
`;
}

/** Escapes text for an element or a quoted attribute of HTML or XML. */
export function escapeHtml(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
    .replaceAll("'", '&#39;');
}

const STYLE = `
:root { color-scheme: light dark; --window: #f1f4f5; --pane: #fff; --border: #dbe1e4; --text: #182024; --text-2: #47555d;
  --accent: #0a6475; --on-accent: #fff; }
@media (prefers-color-scheme: dark) { :root { --window: #0e1214; --pane: #13181b; --border: #2a3339; --text: #e4eaed;
  --text-2: #a9b5bc; --accent: #4cc4d9; --on-accent: #061a1f; } }
body { margin: 0; background: var(--window); color: var(--text); font: 15px/24px Inter, system-ui, sans-serif; }
main { max-width: 960px; margin: 0 auto; padding: 32px 16px; }
h1 { font-size: 20px; line-height: 28px; margin: 0 0 16px; }
h2 { font-size: 15px; line-height: 24px; margin: 0; }
p, dl { margin: 0 0 16px; }
h2 + ul { margin-top: 8px; }
dt { color: var(--text-2); font-size: 13px; }
dd { margin: 0 0 8px; overflow-wrap: anywhere; }
code { font: 12px/18px 'JetBrains Mono', ui-monospace, monospace; }
a { color: var(--accent); }
.formats a { margin-left: 8px; }
.guides { display: grid; grid-template-columns: repeat(auto-fill, minmax(280px, 1fr)); gap: 16px; }
section { background: var(--pane); border: 1px solid var(--border); border-radius: 8px; padding: 16px; }
section p { margin: 12px 0; }
.button { display: inline-block; background: var(--accent); color: var(--on-accent); border-radius: 4px; padding: 4px 12px;
  text-decoration: none; font-size: 13px; }
ol, ul { margin: 0; padding-left: 20px; font-size: 13px; line-height: 20px; }
`;
