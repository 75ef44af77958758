import type { AddCommand } from 'pawl/cli';
import { addBench } from './bench.ts';

/** What this package adds to the command `pawl`. */
export const commands: readonly AddCommand[] = [addBench];
