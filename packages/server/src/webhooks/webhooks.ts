import { createHash } from 'node:crypto';
import { derivedId, type Instant, type Outgoing, PawlError, SYSTEM_ACTOR } from 'pawl/define';
import { type Engine, type PluginSecrets, type Precondition, tagOf } from 'pawl/plugin';
import type {
  SealedSecret,
  Webhook,
  WebhookRecords,
  WebhookRef,
  WebhookSettings,
} from './records.ts';
import { afterFailure, circuitState, CLOSED } from './circuit.ts';
import { checkWish, TERMINAL_EVENTS, type WebhookWish } from './settings.ts';
import { newSecret } from './signature.ts';

/** On whose behalf: of which tenant, and as whom the audit log names them. */
export interface Manager {
  readonly tenant: string;
  readonly actor: string;
}

/** A webhook whose secret was just made: it is shown now and never again. */
export interface MadeWebhook {
  readonly webhook: Webhook;
  readonly secret: string;
}

export interface WebhooksOptions {
  readonly engine: Pick<Engine, 'ids' | 'now'>;
  readonly records: WebhookRecords;
  readonly secrets: PluginSecrets;
  readonly outgoing: Pick<Outgoing, 'check'>;
}

const WEBHOOKS_MAX = 100;
const SECRETS_MAX = 5;
/** More than there are deliveries of one endpoint at once. */
const ROUNDS_MAX = 16;
/** After so long without a single success an endpoint is left alone. */
const FAILING_MS_MAX = 5 * 86_400_000;

type Change = (webhook: Webhook, now: Instant) => Partial<WebhookSettings> | null;

/** The use cases of webhooks: who is told, with which secrets, and when to give up on one. */
export class Webhooks {
  readonly #options: WebhooksOptions;

  constructor(options: WebhooksOptions) {
    this.#options = options;
  }

  /** A repeat with the same key makes no second one. */
  async create(
    by: Manager,
    wish: WebhookWish & { url: string },
    idempotencyKey?: string,
  ): Promise<MadeWebhook> {
    const { engine, records, secrets, outgoing } = this.#options;
    await checkWish(wish, outgoing);
    const { tenant } = by;
    const id =
      idempotencyKey === undefined
        ? engine.ids.next()
        : derivedId(0, JSON.stringify([tenant, 'webhook', idempotencyKey]));
    await this.#refuseTooMany(tenant);
    const secret = newSecret();
    const settings: WebhookSettings = {
      url: wish.url,
      description: wish.description ?? null,
      events: wish.events ?? TERMINAL_EVENTS,
      types: wish.types ?? null,
      isEnabled: wish.enabled ?? true,
      disabledReason: null,
      secrets: [{ sealed: secrets.seal({ tenant, id }, secret), expiresAt: null }],
      failingSince: null,
      circuit: CLOSED,
      createdBy: by.actor,
    };
    const audit = [this.#entry(by, id, 'webhook.created', shown(settings))];
    const write = { tenant, id, expected: 0, settings, audit };
    if ((await records.write(write)) === 'stale') {
      const message = `this request has already made the webhook ${id}; rotate it for a new secret`;
      throw new PawlError('ALREADY_EXISTS', message, { details: { id } });
    }
    return { webhook: await this.find({ tenant, id }), secret };
  }

  list(...asked: Parameters<WebhookRecords['page']>): Promise<Webhook[]> {
    return this.#options.records.page(...asked);
  }

  async find({ tenant, id }: WebhookRef): Promise<Webhook> {
    const found = await this.#options.records.find({ tenant, id });
    if (found === null) throw new PawlError('NOT_FOUND', `there is no webhook ${id}`);
    return found;
  }

  /** Enabling one that was given up forgets why. */
  async change(by: Manager, id: string, wish: WebhookWish, requires?: Precondition) {
    await checkWish(wish, this.#options.outgoing);
    const { enabled, ...settings } = wish;
    const isWoken = enabled === true;
    const more = enabled === undefined ? {} : { isEnabled: enabled };
    const reset = isWoken ? { disabledReason: null, failingSince: null, circuit: CLOSED } : {};
    const done = { ...settings, ...more, ...reset };
    return this.#update({ ...by, id }, 'webhook.changed', (webhook) => {
      requires?.(webhookTag(webhook));
      return done;
    });
  }

  async remove(by: Manager, id: string, requires?: Precondition): Promise<void> {
    const { tenant } = by;
    const { records } = this.#options;
    for (let round = 0; round < ROUNDS_MAX; round++) {
      const webhook = await this.find({ tenant, id });
      const { revision } = webhook;
      requires?.(webhookTag(webhook));
      const audit = [this.#entry(by, id, 'webhook.removed', {})];
      const write = { tenant, id, expected: revision, settings: null, audit };
      if ((await records.write(write)) === 'written') return;
    }
    throw contended(id);
  }

  /** A new secret; the one before it signs too for a while, so that receivers can change over. */
  async rotate(
    by: Manager,
    asked: { id: string; overlapMs: number; key?: string; requires?: Precondition | undefined },
  ): Promise<MadeWebhook> {
    const { secrets: box } = this.#options;
    const ref = { tenant: by.tenant, id: asked.id };
    const requestKey = asked.key === undefined ? {} : { requestKey: hashOf(asked.key) };
    const fresh = { sealed: box.seal(ref, newSecret()), expiresAt: null, ...requestKey };
    const webhook = await this.#update(
      { ...by, id: asked.id },
      'webhook.rotated',
      (before, now) => {
        const { secrets } = before;
        asked.requires?.(webhookTag(before));
        const isRepeat = asked.key !== undefined && secrets[0]?.requestKey === fresh.requestKey;
        return isRepeat
          ? null
          : { secrets: replaced(secrets, fresh, { now, end: now + asked.overlapMs }) };
      },
    );
    return { webhook, secret: box.open(ref, webhook.secrets[0]!.sealed) };
  }

  /** The secrets that sign now, the newest first. */
  async secretsOf(webhook: Webhook): Promise<string[]> {
    const { engine, secrets: box } = this.#options;
    const now = await engine.now();
    return webhook.secrets
      .filter(({ expiresAt }) => expiresAt === null || expiresAt > now)
      .map(({ sealed }) => box.open(webhook, sealed));
  }

  /** Gives an endpoint up until somebody enables it again. */
  async disable(ref: WebhookRef, reason: string): Promise<void> {
    await this.#update({ ...ref, actor: SYSTEM_ACTOR }, 'webhook.disabled', ({ isEnabled }) =>
      isEnabled ? { isEnabled: false, disabledReason: reason } : null,
    );
  }

  now(): Promise<Instant> {
    return this.#options.engine.now();
  }

  /** For how long nothing is sent to an endpoint that has failed lately; 0: it may be tried. */
  async pauseMs({ circuit }: Webhook): Promise<number> {
    const { openUntil } = circuit;
    return openUntil === null ? 0 : Math.max(0, openUntil - (await this.now()));
  }

  /** How many endpoints of all tenants are left alone at the moment. */
  async countOpen(): Promise<number> {
    const now = await this.now();
    const all = await this.#options.records.list(null);
    return all.filter(({ circuit }) => circuitState(circuit, now) === 'open').length;
  }

  async noteSuccess(webhook: Webhook): Promise<void> {
    if (isWell(webhook)) return;
    await this.#update({ ...webhook, actor: SYSTEM_ACTOR }, null, (current) =>
      isWell(current) ? null : { failingSince: null, circuit: CLOSED },
    );
  }

  /** Remembers when it began, leaves the endpoint alone for a while, and gives up in the end. */
  async noteFailure(webhook: Webhook, why: string): Promise<void> {
    let isTooLong = false;
    const { failingSince } = await this.#update(
      { ...webhook, actor: SYSTEM_ACTOR },
      null,
      (current, now) => {
        const since = current.failingSince ?? now;
        isTooLong = now - since >= FAILING_MS_MAX;
        const circuit = afterFailure(current.circuit, now);
        const isKnown = circuit === current.circuit && current.failingSince !== null;
        return isKnown ? null : { failingSince: since, circuit };
      },
    );
    if (!isTooLong) return;
    const since = new Date(failingSince!).toISOString();
    await this.disable(webhook, `no delivery has arrived since ${since}; the last: ${why}`);
  }

  /** Reads, changes and writes; whoever loses a race does it again. A null changes nothing. */
  async #update(
    ref: WebhookRef & Manager,
    action: string | null,
    change: Change,
  ): Promise<Webhook> {
    const { engine, records } = this.#options;
    const { tenant, id } = ref;
    for (let round = 0; round < ROUNDS_MAX; round++) {
      const now = await engine.now();
      const webhook = await this.find(ref);
      const changed = change(webhook, now);
      if (changed === null) return webhook;
      const settings = { ...settingsOf(webhook), ...changed };
      const audit = action === null ? [] : [this.#entry(ref, id, action, shown(changed))];
      const write = { tenant, id, expected: webhook.revision, settings, audit };
      if ((await records.write(write)) === 'written') return this.find(ref);
    }
    throw contended(id);
  }

  async #refuseTooMany(tenant: string): Promise<void> {
    if ((await this.list(tenant, { limit: WEBHOOKS_MAX })).length < WEBHOOKS_MAX) return;
    const message = `there are ${WEBHOOKS_MAX} webhooks already, the most a tenant can have`;
    throw new PawlError('QUOTA_EXCEEDED', message);
  }

  #entry(by: Manager, subject: string, action: string, details: unknown) {
    const { tenant, actor } = by;
    const id = this.#options.engine.ids.next();
    return { tenant, id, actor, action, subject, details: JSON.stringify(details) };
  }
}

/** Of what people set: deliveries that fail change how it fares, and not this. */
export function webhookTag(webhook: Webhook): string {
  const { url, description, events, types, isEnabled, secrets } = webhook;
  return tagOf({ url, description, events, types, isEnabled, secrets });
}

/** Secrets that are replaced end by then at the latest; those that have ended go. */
function replaced(
  secrets: readonly SealedSecret[],
  fresh: SealedSecret,
  until: { now: Instant; end: Instant },
): SealedSecret[] {
  const { now, end } = until;
  const old = secrets
    .map((one) => ({ ...one, expiresAt: Math.min(one.expiresAt ?? end, end) }))
    .filter(({ expiresAt }) => expiresAt > now);
  return [fresh, ...old].slice(0, SECRETS_MAX);
}

function isWell({ failingSince, circuit }: Webhook): boolean {
  return failingSince === null && circuit.failures === 0;
}

function hashOf(key: string): string {
  return createHash('sha256').update(key).digest('base64url');
}

function settingsOf(webhook: Webhook): WebhookSettings {
  const { tenant: _, id: __, revision: ___, createdAt: ____, updatedAt: _____, ...rest } = webhook;
  return rest;
}

/** For the audit log, which has no secrets in it, not even sealed ones. */
function shown(settings: Partial<WebhookSettings>): Partial<WebhookSettings> {
  const { secrets: _, ...rest } = settings;
  return rest;
}

function contended(id: string): PawlError {
  return new PawlError('STORE_UNAVAILABLE', `the webhook ${id} changed too often; try again`);
}
