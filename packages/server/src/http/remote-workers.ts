import type { FastifyRequest } from 'fastify';
import type { Static } from 'typebox';
import type { RevisionsSchema } from 'pawl/internal/contract/worker-sign';
import type { JobRef } from 'pawl/internal/core/job';
import { type Revisions, revisionFor } from 'pawl/internal/core/revision';
import type { Engine } from 'pawl/internal/engine/engine';
import { credentialOf } from './services.ts';

/** A worker is noted this often at most, however often it calls. */
const EVERY_MS = 10_000;

/** More names than this at once are not workers: the oldest are forgotten, and noted once more. */
const WORKERS_MAX = 10_000;

interface Offer {
  readonly types: readonly string[];
  readonly revisions?: Revisions;
}

interface Seen extends Offer {
  readonly at: number;
}

/** The revisions in a request, as the engine has them. */
export function offeredOf(
  revisions: Static<typeof RevisionsSchema> | undefined,
): Pick<Offer, 'revisions'> {
  if (revisions === undefined) return {};
  const all = Object.entries(revisions).map(([type, { name, pin = false }]) => [
    type,
    { name, pin },
  ]);
  return { revisions: Object.fromEntries(all) as Revisions };
}

function isNewOf({ types, revisions }: Offer, known: Offer): boolean {
  return types.some((type) => {
    const [now, before] = [revisions, known.revisions].map((all) => revisionFor(all, type)?.name);
    return !known.types.includes(type) || now !== before;
  });
}

/** A worker that comes back may have other code for the same types. */
function togetherOf(known: Offer, offer: Offer): Offer {
  const types = [...new Set([...known.types, ...offer.types])].toSorted();
  const revisions = types.flatMap((type) => {
    const revision = revisionFor((offer.types.includes(type) ? offer : known).revisions, type);
    return revision === null ? [] : [[type, revision] as const];
  });
  return revisions.length === 0 ? { types } : { types, revisions: Object.fromEntries(revisions) };
}

/**
 * Notes which remote workers are there by what they do, without keeping their calls waiting: a
 * worker that says nothing of itself is listed all the same.
 */
export class RemoteWorkers {
  readonly #engine: Engine;
  readonly #seen: Map<string, Seen> = new Map();

  constructor(engine: Engine) {
    this.#engine = engine;
  }

  /** `offer` is what it asked for and by which code; a heartbeat asks for nothing. */
  note(request: FastifyRequest, id: string, offer: Offer = { types: [] }): void {
    const { tenant } = credentialOf(request);
    const key = `${tenant}\n${id}`;
    const before = this.#seen.get(key);
    const now = performance.now();
    const known: Offer = before ?? { types: [] };
    const isNews = isNewOf(offer, known);
    if (before !== undefined && !isNews && now - before.at < EVERY_MS) return;
    const all = isNews ? togetherOf(known, offer) : known;
    this.#seen.delete(key);
    if (this.#seen.size >= WORKERS_MAX) this.#seen.delete(this.#seen.keys().next().value!);
    this.#seen.set(key, { ...all, at: now });
    void this.#write({ ...all, tenant, id });
  }

  async #write({ types, revisions, ...worker }: Offer & JobRef): Promise<void> {
    const unsaid = { host: null, pid: null, version: null, slots: null };
    const offer = { types, ...(revisions === undefined ? {} : { revisions }) };
    const how = { state: 'working', isAnnounced: false } as const;
    const sign = { ...worker, ...offer, ...unsaid, ...how };
    try {
      await this.#engine.announce([sign]);
    } catch {
      // The list is for those who look: a store that fails is told of by the call itself.
      this.#seen.delete(`${worker.tenant}\n${worker.id}`);
    }
  }
}
