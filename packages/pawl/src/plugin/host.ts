import type { ArtifactJson } from '../contract/artifact.ts';
import type { JobRef } from '../core/job.ts';
import type { Artifacts } from '../engine/artifacts.ts';
import type { EngineLog } from '../engine/context.ts';
import type { Engine } from '../engine/engine.ts';
import type { Outgoing } from '../outgoing/outgoing.ts';
import type { Pawl } from '../pawl/pawl.ts';
import type { AuditLog } from '../records/audit.ts';
import type { RecordStore } from '../store/records.ts';
import type { ProcessRole } from './process-role.ts';

/** The guarded HTTP client, and a variant with more allowed addresses. */
export interface PluginHttp extends Outgoing {
  allowing(places: readonly string[]): Outgoing;
}

/** Encrypts secrets before they are stored. */
export interface PluginSecrets {
  /** Bound to whom it belongs to: it opens for nobody else. */
  seal(owner: { readonly tenant: string; readonly id: string }, text: string): string;
  /** Throws where the key is not known any more. */
  open(owner: { readonly tenant: string; readonly id: string }, sealed: string): string;
}

/** What a plug-in is given when its platform starts. */
export interface PluginHost {
  /** The verbs that programs use. */
  readonly pawl: Pawl;
  /** The use cases behind them, of any tenant. */
  readonly engine: Engine;
  /** What is kept beside jobs, of the kinds that the plug-in declares: others are refused. */
  readonly records: RecordStore;
  readonly artifacts: Artifacts;
  /** The artifacts of a job, each with a signed link that is good for a while. */
  readonly linkedArtifacts: (job: JobRef) => Promise<readonly ArtifactJson[]>;
  readonly secrets: PluginSecrets;
  readonly audit: Pick<AuditLog, 'add'>;
  readonly http: PluginHttp;
  readonly log: EngineLog;
  /** The settings that plug-ins declare, by their names. */
  readonly settings: Readonly<Record<string, string | undefined>>;
  /** What this process does. */
  readonly roles: ReadonlySet<ProcessRole>;
  /** A folder for files of the platform. */
  readonly dataFolder: string;
  /** Types that the user's own jobs have, and that no plug-in may take. */
  readonly takenTypes: ReadonlySet<string>;
  /** Where clients reach the platform, if that was set. */
  readonly publicUrl: string | null;
  /** Lets the worker of the plug-in's own jobs look for work at once. */
  readonly wake: () => void;
}
