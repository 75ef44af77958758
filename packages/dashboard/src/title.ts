// What the tab of this page is called: the page's name, or that of the thing it shows.
import { signal } from '@preact/signals';
import { useEffect } from 'preact/hooks';

/** Null where the entry of the menu says it. */
export const ownTitle = signal<string | null>(null);

/** Names the tab as long as the page that calls it is shown; null while nothing is known. */
export function useTitle(title: string | null): void {
  useEffect(() => {
    ownTitle.value = title;
  }, [title]);
  useEffect(() => () => void (ownTitle.value = null), []);
}
