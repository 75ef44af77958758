// A platform in this process, on a database whose disk goes bad: what it accepts and what it says.
import { systemClock } from 'pawl/internal/core/clock';
import { type Ids, systemIds } from 'pawl/internal/core/ids';
import { systemRandom } from 'pawl/internal/core/random';
import { verify } from 'pawl/internal/doctor/verify';
import type { Claim } from 'pawl/internal/engine/claim';
import type { EngineContext } from 'pawl/internal/engine/context';
import { Engine } from 'pawl/internal/engine/engine';
import { openContext } from 'pawl/internal/engine/open-context';
import { Sweeper } from 'pawl/internal/engine/sweeps/sweeper';
import { builtInLifecycles as lifecycles } from 'pawl/internal/lifecycles/built-in';
import { openPostgresStore } from 'pawl/internal/store/postgres/store';
import { openSqliteStore } from 'pawl/internal/store/sqlite/store';
import { StoreError } from 'pawl/internal/store/store-error';
import { buildServer } from '@pawl/server/internal/http/server';

const TENANT = 'acme';
const TYPE = 'convert';
const OWNER = 'worker-1';

/** What was promised, and what was said to have changed nothing. */
export interface Promised {
  readonly accepted: Set<string>;
  readonly ended: Set<string>;
  readonly refused: Set<string>;
  readonly errors: StoreError[];
}

export function nothingPromised(): Promised {
  return { accepted: new Set(), ended: new Set(), refused: new Set(), errors: [] };
}

type Server = Awaited<ReturnType<typeof buildServer>>;

export class Platform {
  readonly #context: EngineContext;
  readonly #engine: Engine;
  readonly #server: Server;
  readonly #sweeper: Sweeper;
  readonly #promised: Promised;
  readonly #ids: Ids = systemIds(systemClock);
  readonly #held: Claim[] = [];

  private constructor(
    context: EngineContext,
    parts: { engine: Engine; server: Server; promised: Promised },
  ) {
    this.#context = context;
    this.#engine = parts.engine;
    this.#server = parts.server;
    this.#promised = parts.promised;
    this.#sweeper = new Sweeper(context, { timers: { sleep: async () => undefined } });
  }

  static async open(where: string, promised: Promised): Promise<Platform> {
    const store = where.startsWith('postgres')
      ? await openPostgresStore({ url: where, lifecycles })
      : await openSqliteStore({ path: where, lifecycles });
    const ids = systemIds(systemClock);
    const context = openContext({ store, lifecycles, random: systemRandom, ids });
    const engine = new Engine(context);
    const load = { lagMsMax: Number.POSITIVE_INFINITY };
    const server = await buildServer({ engine, doctor: context, slo: context, load });
    const platform = new Platform(context, { server, engine, promised });
    await platform.#try(async () => {
      await engine.putType({ tenant: '*', type: TYPE }, { lifecycle: 'task' });
    });
    return platform;
  }

  async enqueue(input: unknown): Promise<void> {
    const id = this.#ids.next();
    const ask = async (): Promise<void> => {
      const caller = { tenant: TENANT, principal: null };
      const [made] = await this.#engine.enqueue([{ type: TYPE, input, id }], { caller });
      if (made!.kind === 'refused') throw made!.error;
      this.#promised.accepted.add(id);
    };
    await this.#try(ask, () => this.#promised.refused.add(id));
  }

  async claim(max: number): Promise<void> {
    await this.#try(async () => {
      this.#held.push(...(await this.#engine.claim({ owner: OWNER, types: [TYPE], max })));
    });
  }

  /** Ends one of the jobs that were claimed. */
  async complete(): Promise<void> {
    const { job, token } = this.#held.at(-1)!;
    const ref = { tenant: job.tenant, id: job.id };
    const ending = { kind: 'succeed', result: '{"marked":"result-of-job"}' } as const;
    const settlement = { ref, owner: OWNER, epoch: job.epoch, token, ending };
    await this.#try(async () => {
      const [outcome] = await this.#engine.settle([settlement]);
      this.#held.pop();
      if (outcome!.kind === 'moved') this.#promised.ended.add(job.id);
    });
  }

  /** As `GET /readyz` says it. */
  async health(): Promise<{ status: number; store: string }> {
    const answer = await this.#server.inject({ method: 'GET', url: '/readyz' });
    const { checks } = answer.json<{ checks: { store: string } }>();
    return { status: answer.statusCode, store: checks.store };
  }

  /** The checks of `GET /v1/doctor` that found a fault. */
  async faults(): Promise<string[]> {
    const answer = await this.#server.inject({ method: 'GET', url: '/v1/doctor' });
    const { findings = [] } = answer.json<{ findings?: { check: string; level: string }[] }>();
    return findings.filter(({ level }) => level === 'fault').map(({ check }) => check);
  }

  async sweep(): Promise<void> {
    await this.#sweeper.runOnce();
  }

  /** Promises that the database does not keep, and laws that it breaks. */
  async broken({ accepted, ended, refused }: Promised): Promise<string[]> {
    const found: string[] = [];
    for (const id of accepted) {
      if ((await this.#phaseOf(id)) === null) found.push(`the accepted job ${id} is lost`);
    }
    for (const id of ended) {
      if ((await this.#phaseOf(id)) !== 'succeeded') found.push(`the end of job ${id} is lost`);
    }
    for (const id of refused) {
      if ((await this.#phaseOf(id)) !== null) found.push(`job ${id} was refused and is there`);
    }
    for await (const step of verify(this.#context)) {
      if (step.kind === 'violation') found.push(JSON.stringify(step.violation));
    }
    return found;
  }

  async close(): Promise<void> {
    await this.#engine.live.stop();
    await this.#server.close();
    await this.#context.store.close();
  }

  async #phaseOf(id: string): Promise<string | null> {
    const [job] = await this.#context.store.read([{ tenant: TENANT, id }]);
    return job?.phase ?? null;
  }

  /** Whoever is refused must be told by an error of the store; nothing else may come. */
  async #try(body: () => Promise<void>, onRefusal: () => unknown = () => null): Promise<void> {
    try {
      await body();
    } catch (error) {
      if (!(error instanceof StoreError)) throw error;
      this.#promised.errors.push(error);
      if (error.outcome === 'unchanged') onRefusal();
    }
  }
}
