import type { EngineContext } from '../engine/context.ts';
import type { Engine } from '../engine/engine.ts';
import type { Artifacts } from '../engine/artifacts.ts';
import type { JobDefinition } from '../handler/define-job.ts';
import type { StartedPlugin } from '../plugin/started-plugin.ts';
import type { WorkerOptions } from '../worker/open-worker.ts';
import type { Worker } from '../worker/worker.ts';

/** What a Pawl is made of, for the other parts of this package and their tests. */
export interface PawlParts {
  readonly context: EngineContext;
  readonly engine: Engine;
  readonly artifacts: Artifacts | null;
  /** Starts a worker with settings that programs have no use for. */
  work(options: Partial<WorkerOptions>): Worker;
}

/** Where plug-ins join a Pawl that has not started. */
export interface PawlExtension {
  /** Those that have joined, for a server that shows them. */
  readonly plugins: StartedPlugin[];
  add(jobs: readonly JobDefinition[]): void;
  /** Called when the Pawl closes, once its workers have drained. */
  onClose(leave: () => Promise<void>): void;
}

const extensions: WeakMap<object, PawlExtension> = new WeakMap();

export function keepExtension(pawl: object, own: PawlExtension): void {
  extensions.set(pawl, own);
}

export function extensionOf(pawl: object): PawlExtension {
  return extensions.get(pawl)!;
}

const parts: WeakMap<object, PawlParts> = new WeakMap();

export function keepParts(pawl: object, own: PawlParts): void {
  parts.set(pawl, own);
}

export function partsOf(pawl: object): PawlParts {
  return parts.get(pawl)!;
}
