// What commands of other packages are written with.
export { EXIT, ExitError, UsageError } from './exit-code.ts';
export type { AddCommand } from '../plugin/plugin.ts';
export { type Given, onServer, type Session } from './session.ts';
export { barText } from './terminal/bar.ts';
export { LiveLines } from './terminal/live-lines.ts';
export type { Screen } from './terminal/screen.ts';
export { type Column, tableLines } from './terminal/table.ts';
export { countText, durationText } from './terminal/words.ts';
