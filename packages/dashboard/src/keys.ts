/** True where a key is meant for what is being written, or for the browser. */
export function isForSomethingElse(event: KeyboardEvent): boolean {
  if (event.ctrlKey || event.metaKey || event.altKey) return true;
  const { target } = event;
  if (!(target instanceof HTMLElement)) return false;
  if (target instanceof HTMLInputElement && target.type === 'checkbox') return false;
  // A dialog that has just closed may still have the focus.
  return target.closest('input, select, textarea, dialog[open]') !== null;
}
