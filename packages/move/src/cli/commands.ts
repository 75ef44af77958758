import type { AddCommand } from 'pawl/cli';
import { addMove } from './move.ts';

/** What this package adds to the command `pawl`. */
export const commands: readonly AddCommand[] = [addMove];
