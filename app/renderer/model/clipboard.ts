/**
 * Puts text on the clipboard.
 * @throws Error when the page may not
 */
export async function copyText(text: string): Promise<void> {
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    // A page without the permission (an unfocused window, an older browser) still has the old way.
    if (!copyByCommand(text)) throw new Error('The browser did not allow copying. Click into the page and try again.');
  }
}

function copyByCommand(text: string): boolean {
  const area = document.createElement('textarea');
  area.value = text;
  area.className = 'visually-hidden';
  document.body.append(area);
  const focused = document.activeElement;
  area.select();
  const done = document.execCommand('copy');
  area.remove();
  if (focused instanceof HTMLElement) focused.focus();
  return done;
}
