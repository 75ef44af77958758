import type { AddCommand } from 'pawl/cli';
import { addBench } from './bench.ts';

/** The commands that this package adds to `pawl`. */
export const commands: readonly AddCommand[] = [addBench];
