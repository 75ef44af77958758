import type { Lifecycle } from '../core/lifecycle.ts';
import { distributed } from './distributed.ts';
import { document } from './document.ts';
import { platform } from './platform.ts';
import { process } from './process.ts';
import { task } from './task.ts';

/** The five documents, in the order of their letters D, O, P, T, R. */
export const builtInLifecycles: readonly Lifecycle[] = [
  document,
  process,
  platform,
  task,
  distributed,
];
