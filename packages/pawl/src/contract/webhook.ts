import { type Static, Type } from 'typebox';
import { EVENT_TYPES } from '../core/event.ts';
import { closed, Name, nullable, pagedBy, text, Time, Uuid } from './values.ts';

const DAY_MS = 86_400_000;

const MEMBERS = {
  url: Type.String({
    maxLength: 2_048,
    format: 'uri',
    pattern: '^https?://[^\\s\\u0000]+$',
    fault: 'must be a URL of at most 2048 characters, such as https://host/path',
  }),
  description: nullable(text(512)),
  events: Type.Array(Type.Enum([...EVENT_TYPES]), {
    minItems: 1,
    maxItems: EVENT_TYPES.length,
    description: 'Default: the ends of jobs.',
  }),
  types: nullable(Type.Array(Name, { minItems: 1, maxItems: 100, description: 'Types of jobs.' })),
  enabled: Type.Boolean(),
};

const { url, ...REST } = MEMBERS;
const OPTIONAL = Type.Partial(Type.Object(REST)).properties;

/** Body of `POST /v1/webhooks`. */
export const NewWebhookBody = Type.Object(
  { url, ...OPTIONAL },
  { $id: 'WebhookRequest', additionalProperties: false },
);

/** Body of `PATCH /v1/webhooks/{id}`. */
export const WebhookChangeBody = Type.Object(
  { url: Type.Optional(url), ...OPTIONAL },
  { $id: 'WebhookChange', additionalProperties: false },
);

/** Body of `POST /v1/webhooks/{id}/rotate`. */
export const WebhookRotateBody = closed({
  overlapMs: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: 30 * DAY_MS,
      default: DAY_MS,
      description: 'How long the old secret signs as well; 0 removes it at once.',
    }),
  ),
});

/** Path parameters of a webhook. */
export const WebhookParams = Type.Object({ id: Uuid });
/** Path parameters of a delivery. */
export const DeliveryParams = Type.Object({ id: Uuid, deliveryId: Uuid });

/** Query of a list of webhooks. */
export const WebhookQuery = closed(pagedBy(Uuid));

/** Query of a list of deliveries. */
export const DeliveryQuery = closed({
  ...pagedBy(Uuid),
  state: Type.Optional(Type.Enum(['delivered', 'failed', 'cancelled'])),
});

const WEBHOOK = {
  id: Uuid,
  url: Type.String(),
  description: nullable(Type.String()),
  events: Type.Array(Type.String()),
  types: nullable(Type.Array(Type.String())),
  enabled: Type.Boolean(),
  disabledReason: nullable(
    Type.String({ description: 'Why the platform disabled it; null if it is not disabled.' }),
  ),
  failingSince: nullable(Time),
  circuit: closed({
    state: Type.Enum(['closed', 'open', 'half_open']),
    failures: Type.Integer({ description: 'Number of failures in a row.' }),
    openUntil: nullable(Time),
  }),
  oldSecretExpiresAt: nullable(Time),
  createdAt: Time,
  createdBy: Type.String(),
  updatedAt: Time,
};

/** A webhook, as the API answers it. */
export const WebhookSchema = Type.Object(WEBHOOK, { $id: 'Webhook', additionalProperties: false });

/** A webhook, as the API answers it. */
export type WebhookJson = Static<typeof WebhookSchema>;

/** A new webhook with its secret, which is shown once. */
export const MadeWebhookSchema = Type.Object(
  {
    ...WEBHOOK,
    secret: Type.String({ description: 'The signing secret. It is shown only once.' }),
  },
  { $id: 'MadeWebhook', additionalProperties: false },
);

const Try = closed({
  at: Time,
  status: nullable(Type.Integer()),
  durationMs: Type.Integer(),
  responseBody: nullable(Type.String({ description: 'The first 2 KiB of it.' })),
  error: nullable(Type.String()),
});

/** One request that was sent for a delivery, with its response. */
export type TryJson = Static<typeof Try>;

const DELIVERY = {
  id: Uuid,
  webhookId: Uuid,
  eventId: Uuid,
  eventType: Type.String(),
  jobId: nullable(Uuid),
  state: Type.Enum(['pending', 'delivered', 'failed', 'cancelled']),
  attempts: Type.Integer(),
  redeliveryOf: nullable(Uuid),
  createdAt: Time,
  nextAttemptAt: nullable(Time),
  completedAt: nullable(Time),
  lastTry: nullable(Try),
};

/** A delivery, as the API answers it. */
export const DeliverySchema = Type.Object(DELIVERY, {
  $id: 'WebhookDelivery',
  additionalProperties: false,
});

/** A delivery, as the API answers it. */
export type DeliveryJson = Static<typeof DeliverySchema>;

/** A delivery with all its requests. */
export const DeliveryWithTries = Type.Object(
  { ...DELIVERY, tries: Type.Array(Try) },
  { $id: 'WebhookDeliveryInFull', additionalProperties: false },
);
