// Views of the list with names, kept by this browser. A view is its address, so a link shares it.
import { signal } from '@preact/signals';

const NAME = 'pawl-views';

interface SavedView {
  readonly name: string;
  readonly href: string;
}

function kept(): readonly SavedView[] {
  try {
    const found: unknown = JSON.parse(localStorage.getItem(NAME) ?? '[]');
    return Array.isArray(found) ? (found as SavedView[]) : [];
  } catch {
    return [];
  }
}

export const savedViews = signal(kept());

function keep(views: readonly SavedView[]): void {
  savedViews.value = views;
  localStorage.setItem(NAME, JSON.stringify(views));
}

/** One of the same name is replaced. */
export function saveView(view: SavedView): void {
  keep([...savedViews.value.filter(({ name }) => name !== view.name), view]);
}

export function forgetView(name: string): void {
  keep(savedViews.value.filter((view) => view.name !== name));
}
