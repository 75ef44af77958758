import type { Lifecycle } from '../core/lifecycle.ts';
import { distributed } from './distributed.ts';
import { document } from './document.ts';
import { platform } from './platform.ts';
import { process } from './process.ts';
import { task } from './task.ts';

type BuiltIn = 'document' | 'process' | 'platform' | 'task' | 'distributed';

/**
 * The five built-in lifecycles: document, process, platform, task (the default) and distributed.
 * They are members of one object because `document` and `process` are names of globals.
 */
export const lifecycles: Readonly<Record<BuiltIn, Lifecycle>> = {
  document,
  process,
  platform,
  task,
  distributed,
};

export const builtInLifecycles: readonly Lifecycle[] = Object.values(lifecycles);
