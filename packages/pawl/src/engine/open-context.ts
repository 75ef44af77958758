import { type Clock, systemClock } from '../core/clock.ts';
import type { Ids } from '../core/ids.ts';
import type { Lifecycle } from '../core/lifecycle.ts';
import type { Random } from '../core/random.ts';
import { systemTimers, type Timers } from '../core/timers.ts';
import { recordsOf } from '../records/records.ts';
import type { Store } from '../store/store.ts';
import { type EngineContext, type EngineLog, silentLog } from './context.ts';
import { FlowLooks } from './flows/looks.ts';
import type { LinkSigning } from './flows/message-link.ts';
import { KnownInputs } from './known-inputs.ts';
import { LargeInputs } from './large-inputs.ts';
import { Shedding } from './limits/watermarks.ts';
import { LogNames } from './live/job-cursor.ts';
import { LiveHub } from './live/live-hub.ts';
import { LiveTexts } from './live-texts.ts';
import type { EngineObserver } from './observer.ts';
import { Registry } from './registry.ts';
import type { EnqueueTracer } from './tracer.ts';
import { WorkSignal } from './work-signal.ts';

export interface EngineOptions {
  readonly store: Store;
  readonly lifecycles: readonly Lifecycle[];
  readonly random: Random;
  readonly ids: Ids;
  /** For what may be forgotten after a while; jobs live by the database's time. */
  readonly clock?: Clock;
  readonly log?: EngineLog;
  /** Hears what was done, for metrics. */
  readonly observer?: EngineObserver | null;
  readonly tracer?: EnqueueTracer | null;
  /** What message links are made with; left out, there are none. */
  readonly links?: LinkSigning | null;
  /** How those who wait for jobs are woken: by default with the machine's timers, every 50 ms. */
  readonly live?: { readonly timers?: Timers; readonly everyMs?: number };
}

/** What all use cases of one engine share. */
export function openContext(options: EngineOptions): EngineContext {
  const { store, lifecycles, random, ids, clock = systemClock, log = silentLog } = options;
  const { observer = null, tracer = null, links = null } = options;
  const records = recordsOf(store);
  const context: EngineContext = {
    store,
    records,
    random,
    ids,
    clock,
    log,
    observer,
    tracer,
    registry: new Registry({ store, records, clock }, lifecycles),
    shedding: new Shedding({ store, records, ids, clock }),
    inputs: new KnownInputs(),
    largeInputs: new LargeInputs(),
    liveTexts: new LiveTexts({ ids, clock }),
    wakeSignal: new WorkSignal(store.wakeSignal ?? null),
    links,
    flowLooks: new FlowLooks(() => context),
    logNames: new LogNames(store),
    live: new LiveHub(store, { timers: systemTimers, ...options.live }),
  };
  store.logChanges?.listen((change) => {
    context.registry.forget();
    log.warn('the database has another log: cached values were dropped', {
      ...change,
    });
  });
  return context;
}
