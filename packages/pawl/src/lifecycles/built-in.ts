import type { Lifecycle } from '../core/lifecycle.ts';
import { distributed } from './distributed.ts';
import { document } from './document.ts';
import { platform } from './platform.ts';
import { process } from './process.ts';
import { task } from './task.ts';

type BuiltIn = 'document' | 'process' | 'platform' | 'task' | 'distributed';

/**
 * The five documents, in the order of their letters D, O, P, T, R. Users find them under this one
 * name, so that none of them shadows a global.
 */
export const lifecycles: Readonly<Record<BuiltIn, Lifecycle>> = {
  document,
  process,
  platform,
  task,
  distributed,
};

export const builtInLifecycles: readonly Lifecycle[] = Object.values(lifecycles);
