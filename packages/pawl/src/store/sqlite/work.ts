import type { Instant } from '../../core/clock.ts';
import type { Connection } from './connection.ts';
import type { Log } from './log.ts';
import type { Names } from './names.ts';

/** What a verb works with: inside a transaction that others begin and end, at one moment. */
export interface Work {
  readonly connection: Connection;
  readonly names: Names;
  readonly log: Log;
  readonly now: Instant;
}
