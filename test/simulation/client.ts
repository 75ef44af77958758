// Clients: they ask for jobs, ask again when no answer came, and change their minds.
import type { SubmitOperation } from 'pawl/internal/check/history';
import { PawlError } from 'pawl/internal/core/errors';
import type { JobRef } from 'pawl/internal/core/job';
import { isTerminal } from 'pawl/internal/core/phase';
import { SeededRandom } from 'pawl/internal/core/random';
import { IDEMPOTENCY_WINDOW_MS } from 'pawl/internal/engine/draft';
import type { EnqueueRequest } from 'pawl/internal/engine/enqueue-request';
import { StoreError } from 'pawl/internal/store/store-error';
import type { Actor } from './actor.ts';
import type { Chronicle } from './chronicle.ts';
import { TYPE_NAMES } from './job-types.ts';

export const TENANTS: readonly string[] = ['acme', 'beta'];

export const ERRANDS = [
  'enqueue',
  'enqueueBatch',
  'cancelSoft',
  'cancelHard',
  'submit',
  'reject',
  'deadLetter',
  'replay',
  /** Somebody looks at a list and cancels what stands in it, however rarely that place is seen. */
  'cancelSeen',
] as const;

/** One thing a client does; its arguments come from the seed when its turn comes. */
export interface Errand {
  readonly what: (typeof ERRANDS)[number];
  readonly seed: number;
}

/** What plain runs draw from; it stays as it is, or the seeds that once failed mean nothing. */
const PLAIN_BAG: readonly Errand['what'][] = [
  ...Array.from({ length: 9 }, () => 'enqueue' as const),
  ...Array.from({ length: 4 }, () => 'enqueueBatch' as const),
  ...ERRANDS.filter((what) => what !== 'cancelSeen'),
  'cancelSoft',
  'replay',
];

export const ERRAND_BAGS: Readonly<Record<'plain' | 'swarm', readonly Errand['what'][]>> = {
  plain: PLAIN_BAG,
  swarm: [...PLAIN_BAG, 'cancelSeen', 'cancelSeen'],
};

export function pickErrands(
  random: SeededRandom,
  bag: readonly Errand['what'][],
  count: number,
): readonly Errand[] {
  return Array.from({ length: count }, () => ({
    what: random.pick(bag),
    seed: random.below(2 ** 31),
  }));
}

const TRIES_MAX = 6;

/** What a client keeps on its own disk: it outlives the client's crashes. */
export class Client {
  readonly #chronicle: Chronicle;
  readonly #errands: Errand[];
  readonly #gapMs: number;
  readonly #known: JobRef[] = [];
  #tries = 0;
  /** Every sending has a mark of its own: without a key, a second one is another request. */
  #sent = 0;

  constructor(chronicle: Chronicle, errands: readonly Errand[], gapMs: number) {
    this.#chronicle = chronicle;
    this.#errands = [...errands];
    this.#gapMs = gapMs;
  }

  get isDone(): boolean {
    return this.#errands.length === 0;
  }

  /** Does its errands one after the other; one that was cut off by a crash is begun again. */
  async run(actor: Actor): Promise<void> {
    for (let errand = this.#errands[0]; errand !== undefined; errand = this.#errands[0]) {
      const random = new SeededRandom(errand.seed);
      await actor.sleep(random.below(this.#gapMs));
      const isSettled = await this.#attempt(actor, errand, random);
      this.#tries += 1;
      if (!isSettled && this.#tries < TRIES_MAX) continue;
      this.#errands.shift();
      this.#tries = 0;
    }
  }

  /** False where nobody knows whether it worked. */
  async #attempt(actor: Actor, errand: Errand, random: SeededRandom): Promise<boolean> {
    try {
      return await this.#do(actor, errand, random);
    } catch (error) {
      if (error instanceof PawlError) return true;
      if (!(error instanceof StoreError) || error.outcome === 'refused') throw error;
      return false;
    }
  }

  async #do(actor: Actor, errand: Errand, random: SeededRandom): Promise<boolean> {
    const { engine } = actor;
    if (errand.what === 'enqueue') return this.#enqueue(actor, errand, random);
    if (errand.what === 'enqueueBatch') return this.#enqueue(actor, errand, random);
    const by = { actor: `api:${actor.name}` };
    if (errand.what === 'replay') return this.#replay(actor, random);
    if (errand.what === 'cancelSeen') return this.#cancelSeen(actor, random);
    const ref = this.#known.at(-1 - random.below(4)) ?? this.#known[0];
    if (ref === undefined) return true;
    const reason = 'no longer wanted';
    switch (errand.what) {
      case 'cancelSoft':
        await engine.cancel([{ ref, ...by, mode: 'soft', reason }]);
        return true;
      case 'cancelHard':
        await engine.cancel([{ ref, ...by, mode: 'hard', reason }]);
        return true;
      case 'submit':
        await engine.submit(ref, by.actor);
        return true;
      case 'reject':
        await engine.reject({ ref, ...by, error: { class: 'queue_overload', message: 'full' } });
        return true;
      case 'deadLetter':
        await engine.deadLetter({ ref, ...by, reason: 'policy_violation', message: 'by hand' });
        return true;
    }
  }

  /** First a place, then a job that stands there. */
  async #cancelSeen({ engine, name }: Actor, random: SeededRandom): Promise<boolean> {
    const { jobs } = await engine.jobs({ tenant: random.pick(TENANTS), limit: 50 });
    const open = jobs.filter(({ phase }) => !isTerminal(phase));
    if (open.length === 0) return true;
    const places = Map.groupBy(open, ({ lifecycle, state, phase }) =>
      [lifecycle, state, phase].join(),
    );
    const { tenant, id } = random.pick(random.pick([...places.values()]));
    const mode = random.pick(['soft', 'hard'] as const);
    const ref = { tenant, id };
    await engine.cancel([{ ref, actor: `api:${name}`, mode, reason: 'no longer wanted' }]);
    return true;
  }

  async #replay({ engine, name }: Actor, random: SeededRandom): Promise<boolean> {
    const tenant = random.pick(TENANTS);
    const letters = await engine.deadLetters({ tenant, limit: 3 });
    if (letters.length === 0) return true;
    const deadLetterId = random.pick(letters).id;
    const { job } = await engine.replay({ deadLetterId, caller: { tenant, principal: name } });
    this.#known.push({ tenant, id: job.id });
    return true;
  }

  async #enqueue(actor: Actor, errand: Errand, random: SeededRandom): Promise<boolean> {
    const tenant = random.pick(TENANTS);
    const count = errand.what === 'enqueue' ? 1 : 2 + random.below(3);
    const sending = ++this.#sent;
    const requests = Array.from({ length: count }, (_, index) =>
      pickRequest(random, { actor, mark: `${actor.name}/${sending}/${index}` }),
    );
    const sent = requests.map((request) => this.#sendSubmit(tenant, request));
    try {
      const caller = { tenant, principal: actor.name };
      const results = await actor.engine.enqueue(requests, { caller });
      results.forEach((result, index) => {
        const submit = sent[index]!;
        submit.outcome = result.kind === 'refused' ? 'fail' : 'ok';
        if (result.kind === 'refused') {
          // Nothing is ever purged here, so what a key or an id leads to must be there.
          const isStray = result.error.code === 'NOT_FOUND';
          if (isStray) this.#chronicle.problems.push(`C2 ${result.error.message}`);
          return;
        }
        submit.jobId = result.job.id;
        this.#known.push({ tenant, id: result.job.id });
      });
      return true;
    } catch (error) {
      const isUnchanged = error instanceof StoreError && error.outcome === 'unchanged';
      if (isUnchanged) for (const submit of sent) submit.outcome = 'fail';
      // Without an id or a key of its own a request must not be sent twice.
      const isRepeatable = requests.every(({ id, idempotencyKey }) => id ?? idempotencyKey);
      if (isUnchanged || isRepeatable) throw error;
      return true;
    }
  }

  #sendSubmit(tenant: string, request: EnqueueRequest): Pending {
    const { id = null, correlationId = null, idempotencyKey: key } = request;
    return this.#chronicle.send<Pending>({
      kind: 'submit',
      tenant,
      jobId: id,
      correlationId,
      idempotency: key === undefined ? null : { key, windowMs: IDEMPOTENCY_WINDOW_MS },
    });
  }
}

type Pending = { -readonly [Name in keyof SubmitOperation]: SubmitOperation[Name] };

/** Few keys for all clients, so that they race for them; the payload is then mostly the same. */
function pickRequest(
  random: SeededRandom,
  { actor, mark }: { actor: Actor; mark: string },
): EnqueueRequest {
  const type = random.pick(TYPE_NAMES);
  const isHeld = (type === 'paper' || type === 'mail') && random.next() < 0.3;
  const dice = random.next();
  const shared = random.below(5);
  const naming: Partial<EnqueueRequest> =
    dice < 0.35
      ? { idempotencyKey: `key ${shared}`, payloadHash: `hash ${random.below(6) === 0}` }
      : dice < 0.6
        ? { id: `01890000-0000-7000-8000-${String(random.below(1e9)).padStart(12, '0')}` }
        : {};
  return {
    type,
    input: { n: shared },
    correlationId: mark,
    priority: random.pick(['normal', 'high'] as const),
    ...naming,
    ...(isHeld ? { submit: false } : {}),
    ...(random.next() < 0.15 ? { runAt: actor.now + random.below(8_000) } : {}),
  };
}
