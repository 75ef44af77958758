import type { AddCommand } from 'pawl/plugin';
import { addStart } from './start-command.ts';
import { addDev } from './dev.ts';
import { addDemo } from './demo.ts';
import { addTour } from './tour.ts';
import { addConfig } from './config.ts';

/** What this package adds to the command `pawl`. */
export const commands: readonly AddCommand[] = [addStart, addDev, addDemo, addTour, addConfig];
