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
export function queryOf({ within, ...view }: View): Record<string, string> {
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
