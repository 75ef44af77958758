import { setTimeout as sleep } from 'node:timers/promises';
import type { Instant } from '../../core/clock.ts';
import type { Purge, Purged } from '../retention.ts';
import type { Database } from './database.ts';
import { isDetaching, isForbidden, isLockTimeout } from './failure.ts';
import { quoteName } from './schemas.ts';
import type { Session } from './session.ts';

/** So many jobs of a partition may outlive it: more than that keep it. */
const SURVIVORS_MAX = 10_000;

/** Whoever waits behind us for a table waits no longer than so. */
const LOCK_TIMEOUT = `SET lock_timeout = '100ms'`;
const TRIES_MAX = 8;
const PAUSE_MS = 250;

/** A slice of what may go: whole partitions, and rows of what lies in none. */
export async function purge(session: Session, cuts: Purge): Promise<Purged> {
  await makePartitions(session, cuts.jobs);
  const jobs =
    cuts.jobs === null ? 0 : await purgeRows(session, 'purge_other', [cuts.jobs, cuts.limit]);
  const keys =
    cuts.keys === null ? 0 : await purgeRows(session, 'purge_keys', [cuts.keys, cuts.limit]);
  const feed = cuts.feed === null ? 0 : await purgeRows(session, 'forget_tail', [cuts.feed]);
  const closed = [
    cuts.jobs !== null && (await close(session, 'close_partition', [cuts.jobs, SURVIVORS_MAX])),
    cuts.jobs !== null && (await close(session, 'close_log', [cuts.jobs])),
    cuts.notes !== null && (await close(session, 'close_notes', [cuts.notes])),
  ];
  if (closed[0]) await readBounds(session);
  await freezePast(session);
  const days = cuts.jobs === null && cuts.notes === null ? 0 : await dropClosed(session, cuts);
  const isFull = jobs >= cuts.limit || keys >= cuts.limit || closed.includes(true);
  return { jobs, keys, notes: 0, feed, days, hasMore: cuts.limit > 0 && isFull };
}

async function close(session: Session, verb: string, values: readonly unknown[]): Promise<boolean> {
  const { database } = session;
  const places = values.map((_, index) => `$${index + 1}`).join(', ');
  const sql = `SELECT ${database.verbs}.${verb}(${places}) AS did`;
  const [row] = await database.write<{ did: boolean }>(sql, values);
  return row!.did;
}

/**
 * Freezes a partition whose time is over, once: what is in it stays as it is, and the server need
 * not come back to it when its transaction numbers are about to wrap around.
 */
async function freezePast(session: Session): Promise<void> {
  const { database } = session;
  const [past] = await database.ask<{ unfrozen: string }>('unfrozen', [session.now()]);
  // Without a session of its own it could not give way to others; autovacuum does it later.
  if (past === undefined || !database.hasSessions) return;
  try {
    await database.apart(async (query) => {
      await query(LOCK_TIMEOUT);
      await query(`VACUUM (FREEZE) ${database.tables}.${quoteName(past.unfrozen)}`);
    });
    await database.verb('mark_frozen', [past.unfrozen, session.now()]);
  } catch (error) {
    if (!isLockTimeout(error)) throw error;
  }
}

interface ClosedPartition {
  readonly parent: string;
  readonly name: string;
  /** The other table that goes with it. */
  readonly beside: string | null;
  readonly low: string;
  readonly high: string;
}

const BESIDE: Readonly<Record<string, string>> = { facts: 'ended', log: 'log_texts' };

/** Whatever is closed goes, also what an earlier purge was kept from or died over. */
async function dropClosed(session: Session, cuts: Purge): Promise<number> {
  const { database } = session;
  let count = 0;
  for (const one of await database.ask<ClosedPartition>('closed_partitions', [])) {
    const { parent, name, beside, low, high } = one;
    if (parent === 'facts' && cuts.jobs === null) continue;
    const isFree =
      (await detach(session, parent, name)) &&
      (beside === null || (await detach(session, BESIDE[parent]!, beside)));
    if (!isFree) continue;
    try {
      await database.verb('drop_closed', [name, beside, cuts.jobs ?? 0]);
    } catch (error) {
      if (isLockTimeout(error)) continue;
      throw error;
    }
    if (parent === 'facts') {
      while ((await purgeRows(session, 'purge_beside', [low, high, 10_000])) > 0);
    }
    count += 1;
  }
  return count;
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

/** The same where no session is kept: in a moment in which nobody uses the table. */
async function detachNow(database: Database, parent: string, name: string): Promise<boolean> {
  const attached = await database.read('SELECT FROM pg_inherits WHERE inhrelid = to_regclass($1)', [
    `${database.tables}.${quoteName(name)}`,
  ]);
  if (attached.length === 0) return true;
  try {
    await database.verb('detach_now', [parent, name]);
    return true;
  } catch (error) {
    if (isLockTimeout(error) || isDetaching(error)) return false;
    throw error;
  }
}

/**
 * Takes a partition off its parent while everybody goes on reading and writing. False: somebody's
 * long transaction keeps it; a later purge tries again.
 */
async function detach({ database }: Session, parent: string, name: string): Promise<boolean> {
  const { tables, verbs } = database;
  const partition = `${tables}.${quoteName(name)}`;
  if (!database.hasSessions) return detachNow(database, parent, name);
  return database.apart(async (query) => {
    await query(LOCK_TIMEOUT);
    for (let tries = 1; tries <= TRIES_MAX; tries++) {
      const [attached] = await query<{ is_pending: boolean }>(
        `SELECT i.inhdetachpending AS is_pending FROM pg_inherits i
         WHERE i.inhrelid = to_regclass($1)`,
        [partition],
      );
      if (attached === undefined) return true;
      const mode = attached.is_pending ? 'FINALIZE' : 'CONCURRENTLY';
      try {
        await query(`ALTER TABLE ${tables}.${parent} DETACH PARTITION ${partition} ${mode}`);
      } catch (error) {
        if (isForbidden(error)) {
          await query(`SELECT ${verbs}.detach_now($1, $2)`, [parent, name]);
        } else if (isDetaching(error)) return false;
        else if (!isLockTimeout(error)) throw error;
        await sleep(PAUSE_MS);
      }
    }
    return false;
  });
}

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/** So many partitions cover what is kept; with those ahead there are never more than twelve. */
const KEPT_MAX = 6;
const WIDTH_DEFAULT_MS = 5 * DAY_MS;
const TURN = '1 day';

/** How much time the next partitions of jobs cover, by how long jobs are kept. */
async function widthOf(session: Session, cut: Instant | null): Promise<number> {
  if (cut === null) return WIDTH_DEFAULT_MS;
  const kept = (await session.readClock()) - cut;
  return Math.max(HOUR_MS, Math.ceil(kept / KEPT_MAX / HOUR_MS) * HOUR_MS);
}

/** So often the first partitions are tried for, a second each, while another process makes them. */
const FIRST_TRIES = 60;

/**
 * Makes the partitions that will be needed next, and goes on in the next one of the log. `cut` is
 * the time up to which ended jobs may go; null where that is not known.
 */
export async function makePartitions(session: Session, cut: Instant | null = null): Promise<void> {
  const { database } = session;
  const now = session.now();
  const width = `${await widthOf(session, cut)} ms`;
  for (let tries = 1; ; tries++) {
    try {
      await database.write(`SELECT ${database.tables}.ensure_partitions($1, $2)`, [width, now]);
      await database.write(`SELECT ${database.tables}.turn_log($1, $2)`, [TURN, now]);
      break;
    } catch (error) {
      // Somebody is at it already, or keeps a table locked: there is time, they are made far ahead.
      // The first ones are waited for: without them nothing can be written.
      if (!isLockTimeout(error)) throw error;
      if (await readBounds(session)) return;
      if (tries === FIRST_TRIES) throw error;
    }
  }
  await readBounds(session);
}

/** Learns between which ids jobs go to partitions; false where there are no partitions yet. */
export async function readBounds(session: Session): Promise<boolean> {
  const [row] = await session.database.read<{ low: string | null; high: string; now: Instant }>(
    `SELECT low, high, now FROM ${session.database.tables}.partition_bounds()`,
  );
  const { low } = row!;
  if (low === null) return false;
  session.learnBounds({ ...row!, low });
  return true;
}
