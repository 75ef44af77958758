import {
  type Clock,
  defineJob,
  excerptOf,
  type JobDefinition,
  type Outgoing,
  OutgoingError,
  type OutgoingResponse,
  PawlError,
  PermanentError,
  retryAfterMs,
  type RunContext,
  TransientError,
} from 'pawl/define';
import type { Engine } from 'pawl/plugin';
import { DELIVERY_TYPE } from './deliveries.ts';
import { DELIVERY_INPUT, type DeliveryInput } from './delivery-input.ts';
import { type Envelope, envelopeOf, testEnvelope } from './envelope.ts';
import type { Webhook } from './records.ts';
import { signedHeaders } from './signature.ts';
import { TenantShares } from './tenant-shares.ts';
import type { Webhooks } from './webhooks.ts';

/** What deliveries are made with. */
export interface DeliveryDependencies {
  readonly engine: Pick<Engine, 'find' | 'events'>;
  readonly webhooks: Webhooks;
  readonly outgoing: Pick<Outgoing, 'fetch'>;
  /** The wall's: receivers compare it with their own. */
  readonly clock: Clock;
}

/** One request and what came of it, as the delivery's own history keeps it. */
export interface Try {
  readonly status: number | null;
  readonly durationMs: number;
  readonly responseBody: string | null;
}

/** Tries that the receiver put off by `Retry-After`; they cost no attempt. */
export interface Deferrals {
  readonly deferred: readonly (Try & { readonly at: number; readonly error: string })[];
}

const TIMEOUT_MS = 20_000;
const RESPONSE_BYTES_MAX = 65_536;
const DEFERRALS_MAX = 10;
const GONE = 410;

/** Fourteen attempts over about three days: seconds at first, half a day at last. */
const RETRY = {
  maxAttempts: 14,
  backoff: { base: '10s', factor: 4, max: '12h', jitter: 'equal' },
} as const;

/** Deliveries of one process at once; they wait for receivers and little else. */
export const DELIVERY_SLOTS = 128;
/** Of one endpoint at once, in all processes together. */
const ENDPOINT_MAX = 8;
/** Of one tenant at once, in a process: what is left is for the others. */
const TENANT_MAX = DELIVERY_SLOTS / 4;
/** So long later is tried again what found its tenant's share taken. */
const SHARE_MS = 1_000;

/** The job that delivers. It needs the database and the keys, so it runs beside the engine. */
export function deliveryJob(deps: DeliveryDependencies): JobDefinition<DeliveryInput, Try> {
  const shares = new TenantShares(TENANT_MAX);
  return defineJob(DELIVERY_TYPE, {
    input: DELIVERY_INPUT,
    ...RETRY,
    timeout: 2 * TIMEOUT_MS,
    dlq: 'never',
    // By endpoint; one that fails must not slow the others down, as the throttle of a type would.
    limits: { runningPerKey: { max: ENDPOINT_MAX, key: 'documentId' }, adaptive: false },
    run: async (context) => {
      const { tenant } = context.job;
      if (!shares.enter(tenant)) return context.snooze(SHARE_MS);
      try {
        return await deliver(deps, context);
      } finally {
        shares.leave(tenant);
      }
    },
  });
}

async function deliver(deps: DeliveryDependencies, run: RunContext<DeliveryInput>): Promise<Try> {
  const webhook = await webhookOf(deps, run);
  const pauseMs = run.input.event === null ? 0 : await deps.webhooks.pauseMs(webhook);
  if (pauseMs > 0) return run.snooze(pauseMs);
  const envelope = await contentOf(deps, run);
  const begunAt = deps.clock.now();
  const since = (): number => deps.clock.now() - begunAt;
  let response: OutgoingResponse;
  try {
    response = await send(deps, run, { webhook, envelope });
  } catch (error) {
    if (!(error instanceof OutgoingError)) throw error;
    const seen = { status: null, durationMs: since(), responseBody: null };
    throw await failed(deps, run, { webhook, seen, why: error.message });
  }
  const { status } = response;
  const responseBody = await excerptOf(response);
  const seen = { status, durationMs: since(), responseBody };
  if (response.ok) {
    if (run.input.event !== null) await deps.webhooks.noteSuccess(webhook);
    return seen;
  }
  const why = whyOf(status);
  if (status === GONE) {
    await deps.webhooks.disable(webhook, why);
    throw new PermanentError(why, { code: 'HTTP_410', details: seen });
  }
  const failure = await failed(deps, run, { webhook, seen, why });
  await deferIfAsked(deps, run, { response, seen, why });
  throw failure;
}

function whyOf(status: number): string {
  if (status === GONE) return 'the receiver answered 410: it wants no more webhooks';
  const isRedirect = status >= 300 && status < 400;
  const more = isRedirect ? ': redirects are not followed, change the url instead' : '';
  return `the receiver answered ${status}${more}`;
}

async function webhookOf(
  deps: DeliveryDependencies,
  run: RunContext<DeliveryInput>,
): Promise<Webhook> {
  const ref = { tenant: run.job.tenant, id: run.input.webhookId };
  const webhook = await deps.webhooks.find(ref).catch((error: unknown) => {
    if (!(error instanceof PawlError) || error.code !== 'NOT_FOUND') throw error;
    throw new PermanentError('the webhook was removed', { code: 'WEBHOOK_REMOVED' });
  });
  if (webhook.isEnabled) return webhook;
  const reason = webhook.disabledReason ?? 'somebody disabled it';
  throw new PermanentError(`the webhook is disabled: ${reason}`, { code: 'WEBHOOK_DISABLED' });
}

/** Read anew each time: what was erased meanwhile is not sent, and nobody's input is signed. */
async function contentOf(
  { engine }: DeliveryDependencies,
  { input, job }: RunContext<DeliveryInput>,
): Promise<Envelope> {
  const { tenant } = job;
  const { webhookId, eventId, event: key } = input;
  if (key === null) return testEnvelope({ id: eventId, webhookId, tenant, at: job.createdAt });
  const ref = { tenant, id: key.jobId };
  const after = { version: key.version - 1, note: 0 };
  const [[about], { events }] = await Promise.all([
    engine.find([ref]),
    engine.events({ ...ref, after, limit: 1, notes: false }),
  ]);
  const event = events[0];
  if (about && event?.version === key.version) {
    const { type: jobType, correlationId, traceId } = about;
    return envelopeOf(event, { jobType, correlationId, traceId });
  }
  throw new PermanentError('the event is no longer kept', { code: 'EVENT_GONE' });
}

async function send(
  { outgoing, webhooks, clock }: DeliveryDependencies,
  { signal }: RunContext<DeliveryInput>,
  { webhook, envelope }: { webhook: Webhook; envelope: Envelope },
): Promise<OutgoingResponse> {
  const secrets = await webhooks.secretsOf(webhook).catch((error: unknown) => {
    throw new TransientError((error as Error).message, { code: 'SECRET_UNREADABLE' });
  });
  const message = { ...envelope, timestampSeconds: Math.floor(clock.now() / 1_000) };
  return outgoing.fetch(webhook.url, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      'user-agent': 'pawl-webhooks',
      ...signedHeaders(message, secrets),
    },
    body: envelope.body,
    timeoutMs: TIMEOUT_MS,
    responseBytesMax: RESPONSE_BYTES_MAX,
    signal,
  });
}

/** A test is sent once and says nothing about how the endpoint fares. */
async function failed(
  { webhooks }: DeliveryDependencies,
  { input }: RunContext<DeliveryInput>,
  { webhook, seen, why }: { webhook: Webhook; seen: Try; why: string },
): Promise<PermanentError | TransientError> {
  const code = seen.status === null ? 'UNREACHABLE' : `HTTP_${seen.status}`;
  const details = { code, details: seen };
  if (input.event === null) return new PermanentError(why, details);
  await webhooks.noteFailure(webhook, why);
  return new TransientError(why, details);
}

/** Waits as long as the receiver asks, some times over; then the usual backoff takes its course. */
async function deferIfAsked(
  { clock }: DeliveryDependencies,
  { input, lastCheckpoint, checkpoint, snooze }: RunContext<DeliveryInput>,
  { response, seen, why }: { response: OutgoingResponse; seen: Try; why: string },
): Promise<void> {
  const now = clock.now();
  const waitMs = retryAfterMs(response, now);
  const { deferred } = (lastCheckpoint as Deferrals | null) ?? { deferred: [] };
  if (waitMs === null || input.event === null || deferred.length >= DEFERRALS_MAX) return;
  const latest = { ...seen, at: now, error: why };
  await checkpoint({ deferred: [...deferred, latest] } satisfies Deferrals);
  snooze(waitMs);
}
