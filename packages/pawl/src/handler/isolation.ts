import type { Fault } from '../core/errors.ts';

/**
 * Where a handler runs. `inline`: on the worker's event loop, for work that waits for I/O.
 * `thread`: in a worker thread, for CPU work; it can be terminated and its memory limited.
 * `process`: in a child process, so that a crash of native code ends only this attempt. `thread`
 * and `process` load the job from its module and export; a closure cannot be passed.
 */
export type Isolation =
  | { readonly kind: 'inline' }
  | {
      readonly kind: 'thread' | 'process';
      /** The module that exports the job: `import.meta.url`, where it is defined. */
      readonly module: string;
      readonly export: string;
      /** Of JavaScript's heap. */
      readonly memoryMb?: number;
    };

export type Isolated = Exclude<Isolation, { kind: 'inline' }>;

const MEMORY_MB_MIN = 16;

export function checkIsolation(isolation: Isolation): Fault[] {
  if (isolation.kind === 'inline') return [];
  const faults: Fault[] = [];
  if (!URL.canParse(isolation.module)) {
    const message = 'must be a URL: give `import.meta.url` of the module that exports the job';
    faults.push({ pointer: '/isolation/module', message });
  }
  const { memoryMb = MEMORY_MB_MIN } = isolation;
  if (!(Number.isInteger(memoryMb) && memoryMb >= MEMORY_MB_MIN)) {
    const message = `must be a whole number from ${MEMORY_MB_MIN}`;
    faults.push({ pointer: '/isolation/memoryMb', message });
  }
  return faults;
}
