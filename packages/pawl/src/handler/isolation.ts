import type { Fault } from '../core/errors.ts';

/**
 * Where a handler runs. `inline`: in the worker's own thread, for work that waits. `thread`: for
 * work that computes; it can be ended in the middle, and its memory can be limited. `process`: as
 * a thread, and even a crash of the machine code takes nothing else with it. The last two find
 * the job by module and export, never as a closure.
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
