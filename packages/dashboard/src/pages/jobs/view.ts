// A view of the list is its address: whoever keeps or sends that has kept or sent the view.
import { now } from '../../now.ts';
import { hrefOf, place } from '../../route.ts';

/** What a view can name; all of it text, empty where nothing is asked for. */
export const VIEW_NAMES = [
  'phase',
  'type',
  'state',
  'queue',
  'documentId',
  'correlationId',
  'parentJobId',
  'text',
  'error',
  'fingerprint',
  'within',
  'createdFrom',
  'createdTo',
  'sort',
] as const;

export type ViewName = (typeof VIEW_NAMES)[number];
export type View = Readonly<Record<ViewName, string>>;

/** Spans of time that move on with the clock. */
export const SPANS: Readonly<Record<string, { readonly title: string; readonly ms: number }>> = {
  '1h': { title: 'last hour', ms: 3_600_000 },
  '24h': { title: 'last 24 hours', ms: 86_400_000 },
  '7d': { title: 'last 7 days', ms: 604_800_000 },
};

/** A search with a time that moves should not look like another one each second. */
const STEP_MS = 60_000;

export function viewOf(): View {
  const { query } = place.value;
  return Object.fromEntries(VIEW_NAMES.map((name) => [name, query.get(name) ?? ''])) as View;
}

export function viewHref(view: Partial<View>, cursor = ''): string {
  return hrefOf(['jobs'], { ...view, cursor });
}

/** What the API is asked for. */
export function queryOf(whole: View): Record<string, string> {
  const { within, sort: _sort, ...view } = whole;
  const span = SPANS[within];
  if (span === undefined) return view;
  const from = Math.floor((now.peek() - span.ms) / STEP_MS) * STEP_MS;
  return { ...view, createdFrom: new Date(from).toISOString(), createdTo: '' };
}

/** Whether it asks for what no index answers, so that a page is a part of the way only. */
export function isSearch({
  text,
  error,
  fingerprint,
  within,
  createdFrom,
  createdTo,
}: View): boolean {
  return [text, error, fingerprint, within, createdFrom, createdTo].some((value) => value !== '');
}

/** By what the jobs of a view are cancelled together; null where it also searches, or asks for all. */
export function filterOf(view: View): Record<string, string> | null {
  const { text, error, fingerprint } = view;
  if ([text, error, fingerprint].some((value) => value !== '')) return null;
  const query = queryOf(view);
  const filled = FILTERS.filter((name) => query[name]! !== '').map((name) => [name, query[name]]);
  return filled.length === 0 ? null : Object.fromEntries(filled);
}

const FILTERS = [
  'phase',
  'type',
  'state',
  'queue',
  'documentId',
  'correlationId',
  'parentJobId',
  'createdFrom',
  'createdTo',
] as const;
