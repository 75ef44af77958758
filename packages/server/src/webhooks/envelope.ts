import { eventIdOf, type Instant, type JobEvent } from 'pawl/define';
import { briefEventJson } from 'pawl/plugin';

/** What is sent: the id that receivers tell repeats by, and the text that is signed. */
export interface Envelope {
  readonly id: string;
  readonly body: string;
}

/** The type of event that only says that a webhook can be reached. */
export const TEST_EVENT = 'webhook_test';

/** An event in the form of CloudEvents 1.0, structured mode. */
export function envelopeOf(
  event: JobEvent,
  about: { jobType: string; correlationId: string | null; traceId: string | null },
): Envelope {
  const { tenant, jobId, version, note, type, at } = event;
  const { jobType, ...tracing } = about;
  const id = eventIdOf(jobId, version, note);
  const data = briefEventJson(event, tracing);
  const source = `/v1/jobs/${jobId}`;
  return written({
    id,
    source,
    type,
    at,
    more: { subject: jobId, tenant, jobtype: jobType, data },
  });
}

/** Tells of nothing but the webhook itself. */
export function testEnvelope(test: {
  id: string;
  webhookId: string;
  tenant: string;
  at: Instant;
}): Envelope {
  const { id, webhookId, tenant, at } = test;
  const source = `/v1/webhooks/${webhookId}`;
  const data = { webhookId, message: 'This webhook can be reached.' };
  return written({ id, source, type: TEST_EVENT, at, more: { subject: webhookId, tenant, data } });
}

function written(parts: {
  id: string;
  source: string;
  type: string;
  at: Instant;
  more: Readonly<Record<string, unknown>>;
}): Envelope {
  const { id, source, type, more } = parts;
  const time = new Date(parts.at).toISOString();
  // `timestamp` is the name that Standard Webhooks has for CloudEvents' `time`.
  const head = { specversion: '1.0', id, source, type, time, timestamp: time };
  const body = JSON.stringify({ ...head, datacontenttype: 'application/json', ...more });
  return { id, body };
}
