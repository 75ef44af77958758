import type { AddCommand } from 'pawl/plugin';
import { addStart } from './start-command.ts';
import { addDev } from './dev.ts';
import { addDemo } from './demo.ts';
import { addTour } from './tour.ts';
import { addConfig } from './config.ts';

/** The commands that this package adds to `pawl`. */
export const commands: readonly AddCommand[] = [addStart, addDev, addDemo, addTour, addConfig];
