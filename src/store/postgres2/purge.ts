import { setTimeout as sleep } from 'node:timers/promises';
import type { Instant } from '../../core/clock.ts';
import type { Purge, Purged } from '../retention.ts';
import { isLockTimeout } from './failure.ts';
import { quoteName } from './schemas.ts';
import type { Session } from './session.ts';

/** So many jobs of a partition may outlive it: more than that keep it. */
const SURVIVORS_MAX = 10_000;

/** Whoever waits behind us for a table waits no longer than so. */
const LOCK_TIMEOUT = `SET lock_timeout = '100ms'`;
const TRIES_MAX = 20;
const PAUSE_MS = 250;

/** A slice of what may go: whole partitions, and rows of what lies in none. */
export async function purge(session: Session, cuts: Purge): Promise<Purged> {
  await makePartitions(session);
  const jobs =
    cuts.jobs === null ? 0 : await purgeRows(session, 'purge_other', [cuts.jobs, cuts.limit]);
  const keys =
    cuts.keys === null
      ? 0
      : await purgeRows(session, 'purge_keys', [cuts.keys, cuts.limit, session.now()]);
  const feed = cuts.feed === null ? 0 : await purgeRows(session, 'forget_tail', [cuts.feed]);
  let days = 0;
  if (cuts.jobs !== null) days += await dropJobs(session, cuts.jobs);
  if (cuts.jobs !== null) days += await dropLog(session, cuts.jobs);
  if (cuts.notes !== null) days += await dropNotes(session, cuts.notes);
  const hasMore = cuts.limit > 0 && (jobs >= cuts.limit || keys >= cuts.limit || days > 0);
  return { jobs, keys, notes: 0, feed, days, hasMore };
}

async function purgeRows(
  { database }: Session,
  verb: string,
  values: readonly unknown[],
): Promise<number> {
  const places = values.map((_, index) => `$${index + 1}`).join(', ');
  const [row] = await database.write<{ count: number }>(
    `SELECT ${database.verbs}.${verb}(${places}) AS count`,
    values,
  );
  return row!.count;
}

async function dropJobs(session: Session, cut: Instant): Promise<number> {
  const { database } = session;
  const [closed] = await database.verb<Record<'facts' | 'ended' | 'low' | 'high', string | null>>(
    'close_partition',
    [cut, SURVIVORS_MAX],
  );
  const { facts, ended, low, high } = closed!;
  if (facts === null) return 0;
  await readBounds(session);
  await detach(session, 'facts', facts);
  await detach(session, 'ended', ended!);
  await database.verb('drop_detached', [facts, ended, low, high, cut]);
  while ((await purgeRows(session, 'purge_beside', [low, high, 10_000])) > 0);
  return 1;
}

async function dropLog(session: Session, cut: Instant): Promise<number> {
  const { database } = session;
  const [closed] = await database.verb<{ log: string | null; texts: string }>('close_log', [cut]);
  const { log, texts } = closed!;
  if (log === null) return 0;
  await detach(session, 'log', log);
  await detach(session, 'log_texts', texts);
  await database.write(`DROP TABLE ${database.tables}.${log}, ${database.tables}.${texts}`);
  return 1;
}

async function dropNotes(session: Session, cut: Instant): Promise<number> {
  const { database } = session;
  const [closed] = await database.verb<{ name: string | null }>('close_notes', [cut]);
  const { name } = closed!;
  if (name === null) return 0;
  await detach(session, 'notes', name);
  await database.write(`DROP TABLE ${database.tables}.${name}`);
  return 1;
}

/**
 * Takes a partition off its parent while everybody goes on reading and writing; what somebody's long
 * transaction keeps from it is tried again, by this or a later purge.
 */
async function detach({ database }: Session, parent: string, name: string): Promise<void> {
  const { tables } = database;
  await database.apart(async (query) => {
    await query(LOCK_TIMEOUT);
    for (let tries = 1; ; tries++) {
      const how = tries === 1 ? 'CONCURRENTLY' : 'FINALIZE';
      const [pending] = await query<{ is_pending: boolean }>(
        `SELECT i.inhdetachpending AS is_pending FROM pg_inherits i
         WHERE i.inhrelid = to_regclass($1)`,
        [`${tables}.${quoteName(name)}`],
      );
      if (pending === undefined) return;
      try {
        const mode = pending.is_pending ? 'FINALIZE' : how === 'FINALIZE' ? 'CONCURRENTLY' : how;
        await query(`ALTER TABLE ${tables}.${parent} DETACH PARTITION ${tables}.${name} ${mode}`);
        return;
      } catch (error) {
        if (!isLockTimeout(error) || tries === TRIES_MAX) throw error;
        await sleep(PAUSE_MS);
      }
    }
  });
}

/** How much time a partition of jobs covers. */
const WIDTH = '4 days';
const TURN = '1 day';

/** Makes the partitions that will be needed next, and goes on in the next one of the log. */
export async function makePartitions(session: Session): Promise<void> {
  const { database } = session;
  const now = session.now();
  await database.write(`SELECT ${database.tables}.ensure_partitions($1, $2)`, [WIDTH, now]);
  await database.write(`SELECT ${database.tables}.turn_log($1, $2)`, [TURN, now]);
  await readBounds(session);
}

/** Learns between which ids jobs go to partitions. */
export async function readBounds(session: Session): Promise<void> {
  const [row] = await session.database.read<{ low: string; high: string }>(
    `SELECT low, high FROM ${session.database.tables}.partition_bounds()`,
  );
  session.bounds = row!;
}
