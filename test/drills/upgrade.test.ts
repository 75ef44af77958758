// From one major version of PostgreSQL to the next: in place, and beside each other.
import assert from 'node:assert/strict';
import { cpSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import type { Installation } from '../support/postgres/installations.ts';
import { eventually } from '../support/eventually.ts';
import {
  ask,
  checkContinued,
  checkSound,
  endOfWal,
  goOn,
  liveAWhile,
  openAt,
  pictureOf,
  placeInLog,
  urlOf,
} from './life.ts';
import {
  DATABASE,
  folderFor,
  installations,
  platformServer,
  runTool,
  serverFor,
  withTools,
} from './servers.ts';

const [oldest] = installations;
const newest = withTools('pg_upgrade', 'pg_dump', 'pg_restore', 'initdb').at(-1);
const isMissing = newest === undefined || newest.major === oldest!.major;
const skip = isMissing ? 'needs two versions of PostgreSQL, the newer one with pg_upgrade' : false;
const label = isMissing ? '' : ` (postgres ${oldest!.major} → ${newest.major})`;

async function initialize(installation: Installation, data: string, cwd: string): Promise<void> {
  const flags = [
    '--username=postgres',
    '--auth=trust',
    '--encoding=UTF8',
    '--locale=C',
    '--no-sync',
  ];
  // The cluster before has none, unless it was made with them.
  const own = installation.major >= 18 ? ['--no-data-checksums'] : [];
  await runTool(installation, ['initdb', '-D', data, ...flags, ...own], cwd);
}

test(`[R7] pg_upgrade keeps every job and its history${label}`, { skip }, async (context) => {
  const old = await platformServer(context, oldest!);
  const before = await openAt(old.platform, 1);
  await liveAWhile(before);
  const picture = await pictureOf(before);
  const place = await placeInLog(before);
  await before.close();
  await old.halt();

  const folder = folderFor(context, 'upgrade');
  const upgraded = await serverFor(context, newest!, {
    fill: async (data) => {
      const made = join(folder, 'data');
      await initialize(newest!, made, folder);
      const folders = [
        '-b',
        oldest!.binFolder,
        '-B',
        newest!.binFolder,
        '-d',
        old.data,
        '-D',
        made,
      ];
      await runTool(newest!, ['pg_upgrade', ...folders, '-U', 'postgres', '-s', folder], folder);
      cpSync(made, data, { recursive: true });
    },
  });
  const world = await openAt(urlOf(upgraded, DATABASE), 6);
  assert.deepEqual(await pictureOf(world), picture);
  await checkContinued(world, place);
  await checkSound(world);
  await goOn(world);
  await world.close();
});

type Platform = Awaited<ReturnType<typeof platformServer>>;

/** The schema by a dump, its rows by a subscription that goes on until it is dropped. */
async function copyTo(next: Platform, old: Platform, folder: string): Promise<void> {
  const dump = join(folder, 'schema.dump');
  const what = ['--schema-only', '--schema=pawl', '--schema=pawl_verbs_*', `--file=${dump}`];
  await runTool(newest!, ['pg_dump', '--format=custom', ...what, old.platform], folder);
  const into = ['--exit-on-error', '--no-owner', `--dbname=${next.platform}`];
  await runTool(newest!, ['pg_restore', ...into, dump], folder);
  await ask(
    old.platform,
    'CREATE PUBLICATION pawl FOR TABLES IN SCHEMA pawl WITH (publish_via_partition_root = true)',
  );
  await ask(
    next.platform,
    `CREATE SUBSCRIPTION pawl CONNECTION 'host=${old.data} user=postgres dbname=${DATABASE}'
     PUBLICATION pawl`,
  );
  await eventually('every table was copied', async () => {
    const [row] = await ask<{ left: number }>(
      next.platform,
      `SELECT count(*)::int AS left FROM pg_subscription_rel WHERE srsubstate <> 'r'`,
    );
    return row!.left === 0;
  });
}

async function finishCopy(next: Platform, old: Platform): Promise<void> {
  const end = await endOfWal(old.url);
  await eventually('the copy has caught up', async () => {
    const [row] = await ask<{ has: boolean }>(
      old.url,
      `SELECT bool_and(replay_lsn >= '${end}') AS has FROM pg_stat_replication`,
    );
    return row!.has;
  });
  await ask(next.platform, 'DROP SUBSCRIPTION pawl');
}

/** They are no part of what is replicated. */
async function setSequences(next: Platform, old: Platform): Promise<void> {
  for (const name of ['log_n', 'calls']) {
    const sql = `SELECT last_value::text AS at FROM pawl.${name}`;
    const [row] = await ask<{ at: string }>(old.platform, sql);
    await ask(next.platform, `SELECT setval('pawl.${name}', ${row!.at})`);
  }
}

test(
  `[R7] a logical copy on the next version goes on, once its sequences are set${label}`,
  { skip },
  async (context) => {
    const old = await platformServer(context, oldest!, { wal_level: 'logical' });
    const before = await openAt(old.platform, 1);
    await liveAWhile(before);
    const next = await platformServer(context, newest!);
    await copyTo(next, old, folderFor(context, 'logical'));
    // The platform goes on meanwhile, jobs that are counted under a key included.
    await before.enqueue('work', { meanwhile: true });
    await before.enqueue('one', {}, { limitKey: 'k' });
    const claims = await before.claim('w1', 'one');
    await before.complete(claims[0]!);
    const picture = await pictureOf(before);
    const place = await placeInLog(before);
    await before.close();
    await finishCopy(next, old);
    await assert.rejects(openAt(next.platform, 6), /log_n stands at 1, behind the log/);
    await setSequences(next, old);
    const world = await openAt(next.platform, 6);
    assert.deepEqual(await pictureOf(world), picture);
    await checkContinued(world, place);
    await checkSound(world);
    await goOn(world);
    await world.close();
  },
);
