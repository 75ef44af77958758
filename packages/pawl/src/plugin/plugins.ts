import { systemTimers } from '../core/timers.ts';
import { largeSource, valuesIn } from '../engine/by-reference.ts';
import type { LogFollower } from '../engine/follow/log-follower.ts';
import { SHARED_TENANT } from '../engine/registry.ts';
import { Periodic } from '../engine/sweeps/periodic.ts';
import { withCompensations } from '../handler/compensation.ts';
import { type JobDefinition, typeDefinitionOf } from '../handler/define-job.ts';
import { openWorker } from '../worker/open-worker.ts';
import { wakeFor } from '../worker/wake.ts';
import type { Worker } from '../worker/worker.ts';
import { declaredRecords } from './declared-records.ts';
import type { PluginHost } from './host.ts';
import type { Plugin } from './plugin.ts';
import { type StartedPlugin, startPlugin } from './started-plugin.ts';

/** What all hosts of one process share. */
export type HostBase = Omit<PluginHost, 'wake' | 'takenTypes'>;

/** What differs by plug-in. */
type HostOwn = Pick<PluginHost, 'wake' | 'takenTypes' | 'records'>;

/** Something that runs until it is stopped. */
interface Running {
  stop(): Promise<void>;
}

/** The plug-ins of a process. Their jobs are registered and run with those of the program. */
export class Plugins {
  readonly started: readonly StartedPlugin[];
  /** For plug-ins whose jobs have a worker of their own. */
  readonly #workers: ReadonlyMap<StartedPlugin, Worker>;
  readonly #base: HostBase;
  readonly #running: Running[] = [];

  private constructor(base: HostBase, started: readonly StartedPlugin[], wakers: Wakers) {
    this.#base = base;
    this.started = started;
    const own = started.filter(
      ({ plugin, parts }) => hasOwnWorker(plugin) && parts.jobs.length > 0,
    );
    this.#workers = new Map(own.map((one) => [one, this.#workerOf(one)]));
    for (const [one, worker] of this.#workers) wakers.set(one.plugin, () => worker.wake());
  }

  /** Starts them in their order; a type belongs to the first that has it. */
  static async start(
    plugins: readonly Plugin[],
    base: HostBase,
    jobs: readonly JobDefinition[],
  ): Promise<Plugins> {
    const taken = new Set(jobs.map(({ type }) => type));
    const started: StartedPlugin[] = [];
    const wakers: Wakers = new Map();
    for (const plugin of plugins) {
      const wake = (): void => wakers.get(plugin)?.();
      const records = declaredRecords(plugin, base.records);
      const own = { wake, takenTypes: new Set(taken), records };
      const one = await startPlugin(plugin, hostOf(base, own));
      for (const { type } of one.parts.jobs) taken.add(type);
      started.push(one);
    }
    return new Plugins(base, started, wakers);
  }

  /** Of every plug-in, also those that have a worker of their own. */
  get allJobs(): readonly JobDefinition[] {
    return this.started.flatMap(({ parts }) => parts.jobs);
  }

  /** Jobs that are run with those of the program. */
  get jobs(): readonly JobDefinition[] {
    return this.started
      .filter(({ plugin }) => !hasOwnWorker(plugin))
      .flatMap(({ parts }) => parts.jobs);
  }

  /** From now on they work, follow the log and do their duties, as far as this process does. */
  async begin(): Promise<void> {
    const { roles, engine } = this.#base;
    const isSweeping = roles.has('sweeper');
    for (const one of this.started) {
      const worker = this.#workers.get(one);
      if (worker !== undefined) {
        for (const job of withCompensations(one.parts.jobs)) {
          await engine.putType({ tenant: SHARED_TENANT, type: job.type }, typeDefinitionOf(job));
        }
        const stopWaking = wakeFor(engine, worker, one.parts.jobs);
        this.#running.push({ stop: stopWaking }, { stop: () => worker.drain() });
        if (roles.has('worker') || isSweeping) worker.start();
      }
      await one.plugin.begin?.(one.host);
      if (!isSweeping) continue;
      for (const part of [...this.#followersOf(one), ...this.#dutiesOf(one)]) {
        part.start();
        this.#running.push(part);
      }
    }
  }

  async stop(): Promise<void> {
    for (const one of this.#running.toReversed()) await one.stop();
    for (const { plugin } of this.started.toReversed()) await plugin.stop?.();
  }

  #workerOf({ plugin, parts }: StartedPlugin): Worker {
    const { engine, artifacts, log } = this.#base;
    const source = largeSource(engine, valuesIn(artifacts));
    const { workerSlots: slots } = plugin;
    return openWorker({
      source,
      artifacts,
      jobs: parts.jobs,
      log,
      // What is claimed ahead would wait behind the slow.
      prefetch: 0,
      ...(slots === undefined ? {} : { slots }),
    });
  }

  #followersOf({ parts }: StartedPlugin): LogFollower[] {
    return parts.followers.map((follower) =>
      this.#base.engine.follow({
        name: follower.name,
        handle: async (items, batch) => follower.handle(items, batch),
      }),
    );
  }

  #dutiesOf({ plugin, parts }: StartedPlugin): Periodic[] {
    const { log } = this.#base;
    return parts.duties.map(({ name, everyMs, run }) => {
      const onFailure = (error: unknown): void => {
        log.warn(`the duty "${name}" of the plug-in "${plugin.name}" failed; trying again`, {
          error: String(error),
        });
      };
      return new Periodic({ timers: systemTimers, everyMs, round: run, onFailure });
    });
  }
}

/** A copy would ask for everything at once, and a program need not have what no plug-in uses. */
function hostOf(base: HostBase, own: HostOwn): PluginHost {
  return Object.assign(Object.create(base) as HostBase, own);
}

type Wakers = Map<Plugin, () => void>;

function hasOwnWorker({ hasOwnWorker: isOwn = false }: Plugin): boolean {
  return isOwn;
}
