import { derivedId, eventIdOf, isInternalType, type Job, PawlError } from 'pawl/define';
import type { Engine, EnqueueRequest, FollowUp, JobPage, NewJob, TailItem } from 'pawl/plugin';
import { type DeliveryInput, deliveryInputOf } from './delivery-input.ts';
import { TEST_EVENT } from './envelope.ts';
import type { Webhook, WebhookRecords } from './records.ts';
import { wants } from './settings.ts';

/** The type of the jobs that deliver. */
export const DELIVERY_TYPE = 'pawl.webhook';

/** A queue of their own: receivers that dawdle hold up nobody's work. */
export const DELIVERY_QUEUE = 'pawl.webhooks';

export interface FanOutDependencies {
  readonly engine: Pick<Engine, 'enqueueFollowUps'>;
  readonly records: Pick<WebhookRecords, 'list'>;
}

/**
 * The durable follower's part: a delivery for each event and each webhook that wants it. Its id
 * follows from both, so that a batch that comes again makes no second one.
 */
export async function fanOut(
  { engine, records }: FanOutDependencies,
  items: readonly TailItem[],
): Promise<readonly NewJob[]> {
  const told = items.filter(({ event, jobType }) => event.note === 0 && !isInternalType(jobType));
  if (told.length === 0) return [];
  const tenants = [...new Set(told.map(({ event }) => event.tenant))];
  const webhooks = await records.list(tenants);
  const byTenant = Map.groupBy(webhooks, ({ tenant }) => tenant);
  const deliveries: FollowUp[] = [];
  for (const item of told) {
    for (const webhook of byTenant.get(item.event.tenant) ?? []) {
      const isNews = item.event.at >= webhook.createdAt;
      if (!isNews || !wants(webhook, item.event.type, item.jobType)) continue;
      deliveries.push(deliveryOf(webhook, item));
    }
  }
  return engine.enqueueFollowUps(deliveries);
}

function deliveryOf(webhook: Webhook, item: TailItem): FollowUp {
  const { tenant, jobId, version, note, type, at } = item.event;
  const eventId = eventIdOf(jobId, version, note);
  const input = { webhookId: webhook.id, eventId, eventType: type, event: { jobId, version } };
  const request = {
    ...requestOf(input),
    id: derivedId(at, JSON.stringify([webhook.id, eventId])),
    correlationId: item.correlationId ?? jobId,
    ...(item.traceId === null ? {} : { traceId: item.traceId }),
  };
  return { tenant, request };
}

function requestOf(input: DeliveryInput): EnqueueRequest {
  return { type: DELIVERY_TYPE, queue: DELIVERY_QUEUE, documentId: input.webhookId, input };
}

/** Sends word of nothing but the webhook itself, once. */
export async function deliverTest(
  engine: Pick<Engine, 'enqueue' | 'ids'>,
  webhook: Webhook,
  more: Pick<EnqueueRequest, 'idempotencyKey'> = {},
): Promise<Job> {
  const id = engine.ids.next();
  const input = { webhookId: webhook.id, eventId: id, eventType: TEST_EVENT, event: null };
  // The id would make every repeat of the request another one.
  const payloadHash = `webhook test ${webhook.id}`;
  return accepted(engine, webhook, { ...requestOf(input), ...more, payloadHash });
}

/** The same event under the same id, as a delivery of its own. */
export async function redeliver(
  engine: Pick<Engine, 'enqueue'>,
  webhook: Webhook,
  asked: { delivery: Job } & Pick<EnqueueRequest, 'idempotencyKey'>,
): Promise<Job> {
  const { delivery, ...more } = asked;
  const { correlationId } = delivery;
  const request = {
    ...requestOf(deliveryInputOf(delivery)!),
    ...(correlationId === null ? {} : { correlationId }),
    metadata: { redeliveryOf: delivery.id },
    ...more,
  };
  return accepted(engine, webhook, request);
}

async function accepted(
  engine: Pick<Engine, 'enqueue'>,
  webhook: Webhook,
  request: EnqueueRequest,
): Promise<Job> {
  if (!webhook.isEnabled) {
    const message = `the webhook ${webhook.id} is disabled: enable it first`;
    throw new PawlError('ILLEGAL_TRANSITION', message);
  }
  const caller = { tenant: webhook.tenant, principal: null };
  const [result] = await engine.enqueue([request], { caller });
  if (result!.kind === 'refused') throw result!.error;
  return result!.job;
}

/** Deliveries of a webhook, the newest first. */
export async function listDeliveries(
  engine: Pick<Engine, 'jobs' | 'find'>,
  webhook: Webhook,
  page: { limit: number; before?: string; phase?: Job['phase'] },
): Promise<Pick<JobPage, 'jobs'> & { readonly nextCursor: string | null }> {
  const { tenant, id: documentId } = webhook;
  const found = await engine.jobs({ tenant, documentId, type: DELIVERY_TYPE, ...page });
  // Lists leave the details of errors out, and those say what the receiver answered.
  const jobs = found.jobs.length === 0 ? [] : await engine.find(found.jobs);
  return {
    jobs: jobs.filter((job) => job !== null && deliveryInputOf(job) !== null) as Job[],
    nextCursor: found.hasMore ? found.jobs.at(-1)!.id : null,
  };
}

export async function findDelivery(
  engine: Pick<Engine, 'find'>,
  webhook: Webhook,
  id: string,
): Promise<Job> {
  const [job] = await engine.find([{ tenant: webhook.tenant, id }]);
  const isOwn = job?.type === DELIVERY_TYPE && job.documentId === webhook.id;
  if (isOwn && deliveryInputOf(job) !== null) return job;
  throw new PawlError('NOT_FOUND', `there is no delivery ${id} of the webhook ${webhook.id}`);
}
