import type { AddCommand } from 'pawl/cli';
import { addMove } from './move.ts';

/** The commands that this package adds to `pawl`. */
export const commands: readonly AddCommand[] = [addMove];
