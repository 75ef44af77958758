/** What is counted. What each of them means is told in docs/reference/figures.md. */
export const HISTORY_COUNTS = [
  'enqueued',
  'started',
  'succeeded',
  'failed',
  'dead',
  'cancelled',
  'retried',
  'requeued',
  'snoozed',
] as const;

export type HistoryCountName = (typeof HISTORY_COUNTS)[number];
