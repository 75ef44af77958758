import type { Instant } from '../../core/clock.ts';
import type { Connection } from './connection.ts';
import type { EventLog } from './event-log.ts';
import type { Registry } from './registry.ts';

/** What a verb works with: inside a transaction that others begin and end, at one moment. */
export interface Work {
  readonly connection: Connection;
  readonly registry: Registry;
  readonly log: EventLog;
  readonly now: Instant;
}
