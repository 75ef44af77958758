import { type DeliveryJson, timeText, type TryJson, type WebhookJson } from 'pawl/plugin';
import type { Instant } from 'pawl/define';
import { circuitState } from './circuit.ts';
import type { Delivery, LoggedTry } from './delivery-log.ts';
import type { Webhook } from './records.ts';

function timeOrNull(instant: number | null): string | null {
  return instant === null ? null : timeText(instant);
}

/** A webhook as answers show it at that time: without its secrets. */
export function webhookJson(webhook: Webhook, now: Instant): WebhookJson {
  const [, old] = webhook.secrets;
  const { failures, openUntil } = webhook.circuit;
  return {
    id: webhook.id,
    url: webhook.url,
    description: webhook.description,
    events: [...webhook.events],
    types: webhook.types === null ? null : [...webhook.types],
    enabled: webhook.isEnabled,
    disabledReason: webhook.disabledReason,
    failingSince: timeOrNull(webhook.failingSince),
    circuit: {
      state: circuitState(webhook.circuit, now),
      failures,
      openUntil: timeOrNull(openUntil),
    },
    oldSecretExpiresAt: timeOrNull(old?.expiresAt ?? null),
    createdAt: timeText(webhook.createdAt),
    createdBy: webhook.createdBy,
    updatedAt: timeText(webhook.updatedAt),
  };
}

export function tryJson({ at, status, durationMs, responseBody, error }: LoggedTry): TryJson {
  return { at: timeText(at), status, durationMs, responseBody, error };
}

export function deliveryJson(delivery: Delivery): DeliveryJson {
  const { createdAt, nextAttemptAt, completedAt, lastTry, ...rest } = delivery;
  return {
    ...rest,
    createdAt: timeText(createdAt),
    nextAttemptAt: timeOrNull(nextAttemptAt),
    completedAt: timeOrNull(completedAt),
    lastTry: lastTry === null ? null : tryJson(lastTry),
  };
}
