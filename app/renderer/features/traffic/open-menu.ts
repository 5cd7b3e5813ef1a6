/** Opens the context menu of an element as a right click on it would; for buttons and keys. */
export function openMenuAt(element: Element): void {
  const { left, bottom } = element.getBoundingClientRect();
  element.dispatchEvent(
    new MouseEvent('contextmenu', { bubbles: true, cancelable: true, clientX: left, clientY: bottom }),
  );
}
