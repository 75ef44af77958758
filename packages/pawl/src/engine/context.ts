import type { Clock } from '../core/clock.ts';
import type { Ids } from '../core/ids.ts';
import type { Random } from '../core/random.ts';
import type { Records } from '../records/records.ts';
import type { Store } from '../store/store.ts';
import type { FlowLooks } from './flows/looks.ts';
import type { LinkSigning } from './flows/message-link.ts';
import type { LargeInputs } from './large-inputs.ts';
import type { Shedding } from './limits/watermarks.ts';
import type { LogNames } from './live/job-cursor.ts';
import type { LiveHub } from './live/live-hub.ts';
import type { LiveTexts } from './live-texts.ts';
import type { KnownInputs } from './known-inputs.ts';
import type { EngineObserver } from './observer.ts';
import type { Registry } from './registry.ts';
import type { EnqueueTracer } from './tracer.ts';
import type { WorkSignal } from './work-signal.ts';

/** What the engine reports; the program writes it to its log. */
export interface EngineLog {
  warn(message: string, facts: Readonly<Record<string, unknown>>): void;
}

export const silentLog: EngineLog = { warn: () => undefined };

/** What every use case works with. */
export interface EngineContext {
  readonly store: Store;
  /** What is kept beside jobs, in the same store. */
  readonly records: Records;
  readonly registry: Registry;
  readonly random: Random;
  readonly ids: Ids;
  /** This process's: jobs live by the database's time. */
  readonly clock: Clock;
  readonly log: EngineLog;
  /** Null: nobody counts. */
  readonly observer: EngineObserver | null;
  /** Null: nobody traces. */
  readonly tracer: EnqueueTracer | null;
  /** What inputs must look like, as far as this process knows. */
  readonly inputs: KnownInputs;
  /** Inputs that are too large for the database. */
  readonly largeInputs: LargeInputs;
  /** What is told to who listens and kept nowhere. */
  readonly liveTexts: LiveTexts;
  /** Which queues refuse new jobs. */
  readonly shedding: Shedding;
  /** Who waits for work hears of it here. */
  readonly wakeSignal: WorkSignal;
  /** Looks at waiting jobs as soon as this process writes what concerns them. */
  readonly flowLooks: FlowLooks;
  /** Null: links can be neither made nor used. */
  readonly links: LinkSigning | null;
  /** How readers of one job's events name their place. */
  readonly logNames: LogNames;
  /** Who waits for jobs hears of them here. */
  readonly live: LiveHub;
}
