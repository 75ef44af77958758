// A worker's way to the platform: the same calls as the worker over HTTP makes, with the time that
// they take on the way.
import type { Random } from 'pawl/internal/core/random';
import type { Claim, ClaimOptions } from 'pawl/internal/engine/claim';
import type { Engine } from 'pawl/internal/engine/engine';
import { workTopic } from 'pawl/internal/engine/live/live-hub';
import type { Beat, BeatResult, Ownership } from 'pawl/internal/engine/owner';
import type { Settlement } from 'pawl/internal/engine/settle';
import type { JobSource, SourceOutcome } from 'pawl/internal/engine/source';
import type { VirtualTime } from './virtual-time.ts';

/** A network between a worker and the platform. */
export interface Line {
  readonly roundTripMs: number;
  /** Each way takes up to this share longer. */
  readonly jitter: number;
  /** Of packets: each costs a retransmission, and the next one twice its time. */
  readonly loss: number;
  /** Of requests: nobody answers them, and the client gives up after its timeout. */
  readonly silence: number;
}

/** As packages/pawl/src/client/connection.ts has it. */
const REQUEST_TIMEOUT_MS = 30_000;
/** As packages/pawl/src/client/remote-source.ts has it, of a beat that carries nothing. */
const BEAT_TIMEOUT_MS = 5_000;
/** As packages/server/src/http/workers.ts has it: a claim that waits looks this often by itself. */
const CLAIM_LOOK_MS = 250;
/** The least that TCP waits for an acknowledgement. */
const RETRANSMIT_MS_MIN = 200;

export interface Calls {
  claims: number;
  emptyClaims: number;
  renewals: number;
  others: number;
}

export interface FarSourceOptions {
  readonly engine: Engine;
  readonly time: VirtualTime;
  readonly random: Random;
  readonly line: Line;
  readonly tenant: string;
  /** How long an empty claim waits at the server. */
  readonly claimWaitMs: number;
  readonly calls: Calls;
}

export class FarSource implements JobSource {
  readonly #options: FarSourceOptions;

  constructor(options: FarSourceOptions) {
    this.#options = options;
  }

  claim(options: ClaimOptions): Promise<readonly Claim[]> {
    return this.#ask(() => this.#claimOrWait(options));
  }

  start(holdings: readonly Ownership[]): Promise<readonly SourceOutcome[]> {
    return this.#each(holdings, (held) => this.#options.engine.start([held]));
  }

  settle(settlements: readonly Settlement[]): Promise<readonly SourceOutcome[]> {
    return this.#each(settlements, (one) => this.#options.engine.settle([one]));
  }

  /** Each lease is renewed by a request of its own, as over HTTP. */
  renew(beats: readonly Beat[]): Promise<readonly BeatResult[]> {
    const { calls, engine } = this.#options;
    calls.renewals += beats.length;
    return Promise.all(
      beats.map((beat) => this.#ask(async () => (await engine.renew([beat]))[0]!, BEAT_TIMEOUT_MS)),
    );
  }

  #each<Item>(
    items: readonly Item[],
    call: (item: Item) => Promise<readonly SourceOutcome[]>,
  ): Promise<readonly SourceOutcome[]> {
    this.#options.calls.others += items.length;
    return Promise.all(items.map((item) => this.#ask(async () => (await call(item))[0]!)));
  }

  /** As the server does it: it asks, waits for a wake-up or a moment, and asks again. */
  async #claimOrWait(options: ClaimOptions): Promise<readonly Claim[]> {
    const { engine, time, tenant, claimWaitMs, calls } = this.#options;
    const ask = async (): Promise<Claim[]> => {
      const claims = await engine.claim({ ...options, tenants: [tenant] });
      if (claims.length > 0) calls.claims += 1;
      else calls.emptyClaims += 1;
      return claims;
    };
    const first = await ask();
    if (first.length > 0) return first;
    const until = time.now() + claimWaitMs;
    const watch = await engine.live.watch(...options.types.map((type) => workTopic(tenant, type)));
    try {
      for (;;) {
        watch.reset();
        const claims = await ask();
        const leftMs = until - time.now();
        if (claims.length > 0 || leftMs <= 0) return claims;
        await watch.wait(Math.min(leftMs, CLAIM_LOOK_MS), new AbortController().signal);
      }
    } finally {
      watch.close();
    }
  }

  async #ask<Answer>(
    question: () => Promise<Answer>,
    timeoutMs: number = REQUEST_TIMEOUT_MS,
  ): Promise<Answer> {
    const { time, random, line } = this.#options;
    while (random.next() < line.silence) await time.sleep(timeoutMs);
    await this.#way();
    const answer = await question();
    await this.#way();
    return answer;
  }

  #way(): Promise<void> {
    const { time, random, line } = this.#options;
    let ms = (line.roundTripMs / 2) * (1 + random.next() * line.jitter);
    let resendMs = Math.max(RETRANSMIT_MS_MIN, 2 * line.roundTripMs);
    for (; random.next() < line.loss; resendMs *= 2) ms += resendMs;
    return time.sleep(Math.max(1, Math.round(ms)));
  }
}
