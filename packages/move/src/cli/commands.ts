import type { AddCommand } from 'pawl/internal/cli/packages';
import { addMove } from './move.ts';

/** What this package adds to the command `pawl`. */
export const commands: readonly AddCommand[] = [addMove];
