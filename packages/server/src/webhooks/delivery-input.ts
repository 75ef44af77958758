import { isUuid, type Job, type Schema } from 'pawl/define';

/** What a delivery is of: an event, by its key, or a test. */
export interface DeliveryInput {
  readonly webhookId: string;
  readonly eventId: string;
  readonly eventType: string;
  /** Null for a test. */
  readonly event: { readonly jobId: string; readonly version: number } | null;
}

/** Whoever may enqueue jobs may enqueue these too: what is none of ours is refused. */
export const DELIVERY_INPUT: Schema<DeliveryInput> = {
  '~standard': {
    version: 1,
    vendor: 'pawl',
    validate: (value) =>
      isDeliveryInput(value)
        ? { value }
        : { issues: [{ message: 'must be a delivery, as the platform makes them' }] },
  },
};

function isDeliveryInput(value: unknown): value is DeliveryInput {
  const { webhookId, eventId, eventType, event } = (value ?? {}) as Record<string, unknown>;
  const { jobId, version } = (event ?? {}) as Record<string, unknown>;
  const isOfEvent = event === null || (isId(jobId) && Number.isSafeInteger(version));
  return isId(webhookId) && isId(eventId) && typeof eventType === 'string' && isOfEvent;
}

function isId(value: unknown): value is string {
  return typeof value === 'string' && isUuid(value);
}

/** Null where nobody knows what it was of: it was erased, or its input is kept elsewhere. */
export function deliveryInputOf({ input }: Job): DeliveryInput | null {
  const value: unknown = JSON.parse(input);
  return isDeliveryInput(value) ? value : null;
}

/** The delivery of which this one is a repeat. */
export function redeliveryOf({ metadata }: Job): string | null {
  const { redeliveryOf: id } = (JSON.parse(metadata ?? '{}') ?? {}) as Record<string, unknown>;
  return isId(id) ? id : null;
}
