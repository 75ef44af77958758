import type { FastifyRequest } from 'fastify';
import type { Engine } from 'pawl/internal/engine/engine';
import { credentialOf } from './services.ts';

/** A worker is noted this often at most, however often it calls. */
const EVERY_MS = 10_000;

/** More names than this at once are not workers: the oldest are forgotten, and noted once more. */
const WORKERS_MAX = 10_000;

interface Seen {
  readonly at: number;
  readonly types: readonly string[];
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

  /** `types` are those that it asked for; a heartbeat asks for none. */
  note(request: FastifyRequest, id: string, types: readonly string[] = []): void {
    const { tenant } = credentialOf(request);
    const key = `${tenant}\n${id}`;
    const before = this.#seen.get(key);
    const now = performance.now();
    const known = before?.types ?? [];
    const isNews = types.some((type) => !known.includes(type));
    if (before !== undefined && !isNews && now - before.at < EVERY_MS) return;
    const all = isNews ? [...new Set([...known, ...types])].toSorted() : known;
    this.#seen.delete(key);
    if (this.#seen.size >= WORKERS_MAX) this.#seen.delete(this.#seen.keys().next().value!);
    this.#seen.set(key, { at: now, types: all });
    void this.#write({ tenant, id, types: all });
  }

  async #write(worker: { tenant: string; id: string; types: readonly string[] }): Promise<void> {
    const unsaid = { host: null, pid: null, version: null, slots: null };
    const sign = { ...worker, ...unsaid, state: 'working', isAnnounced: false } as const;
    try {
      await this.#engine.announce([sign]);
    } catch {
      // The list is for those who look: a store that fails is told of by the call itself.
      this.#seen.delete(`${worker.tenant}\n${worker.id}`);
    }
  }
}
