import { EVENT_TYPES, type Fault, invalid, type Outgoing, OutgoingError } from 'pawl/define';
import type { Webhook } from './records.ts';

/** What its maker says of a webhook; what is left out stays as it is. */
export interface WebhookWish {
  readonly url?: string;
  readonly description?: string | null;
  readonly events?: readonly string[];
  readonly types?: readonly string[] | null;
  readonly enabled?: boolean;
}

/** The ends of jobs: what a webhook is told of unless it asks for more. */
export const TERMINAL_EVENTS: readonly string[] = [
  'job_succeeded',
  'job_failed',
  'job_cancelled',
  'job_dead_lettered',
];

const LIST_MAX = 100;

/** Throws VALIDATION_ERROR with every fault found. */
export async function checkWish(
  wish: WebhookWish,
  outgoing: Pick<Outgoing, 'check'>,
): Promise<void> {
  const { url, events, types } = wish;
  const faults: Fault[] = [];
  if (url !== undefined) faults.push(...(await checkUrl(url, outgoing)));
  const unknown = events?.find((one) => !(EVENT_TYPES as readonly string[]).includes(one));
  if (unknown !== undefined || events?.length === 0) {
    faults.push({ pointer: '/events', message: `must name some of ${EVENT_TYPES.join(', ')}` });
  }
  if (types !== undefined && types !== null && !isList(types)) {
    const message = `must name 1 to ${LIST_MAX} types, or be null for all`;
    faults.push({ pointer: '/types', message });
  }
  if (faults.length > 0) throw invalid(faults);
}

function isList(types: readonly string[]): boolean {
  return types.length > 0 && types.length <= LIST_MAX;
}

async function checkUrl(url: string, outgoing: Pick<Outgoing, 'check'>): Promise<Fault[]> {
  try {
    await outgoing.check(url);
    return [];
  } catch (error) {
    if (!(error instanceof OutgoingError)) throw error;
    return [{ pointer: '/url', message: `cannot be used: ${error.message}` }];
  }
}

/** Whether an event of that type, of a job of that type, is news for the webhook. */
export function wants(webhook: Webhook, event: string, jobType: string): boolean {
  return (
    webhook.isEnabled &&
    webhook.events.includes(event) &&
    (webhook.types === null || webhook.types.includes(jobType))
  );
}
