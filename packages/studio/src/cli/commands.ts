import type { AddCommand } from 'pawl/internal/cli/packages';
import { addBench } from './bench.ts';

/** What this package adds to the command `pawl`. */
export const commands: readonly AddCommand[] = [addBench];
