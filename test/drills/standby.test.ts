// A standby that serves readers, and takes over.
import assert from 'node:assert/strict';
import { cpSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import pg from 'pg';
import { examine } from '../../src/doctor/checks.ts';
import { gatherFacts } from '../../src/doctor/facts.ts';
import type { Cluster } from '../support/postgres/cluster.ts';
import type { Installation } from '../support/postgres/installations.ts';
import { eventually } from '../support/eventually.ts';
import {
  ask,
  checkReset,
  checkSound,
  goOn,
  liveAWhile,
  openAt,
  pictureOf,
  placeInLog,
  urlOf,
} from './life.ts';
import {
  baseBackup,
  DATABASE,
  folderFor,
  installations,
  platformServer,
  serverFor,
} from './servers.ts';

/** A server that follows another one, and tells it which rows its readers still need. */
async function standbyOf(
  context: TestContext,
  installation: Installation,
  primary: Cluster,
): Promise<Cluster> {
  const base = join(folderFor(context, 'standby'), 'base');
  await baseBackup(primary, base);
  return serverFor(context, installation, {
    isStandby: true,
    settings: {
      primary_conninfo: `host=${primary.data} user=postgres application_name=reports`,
      hot_standby_feedback: 'on',
      wal_receiver_status_interval: '1s',
    },
    fill: async (data) => {
      cpSync(base, data, { recursive: true });
      rmSync(join(data, 'postgresql.auto.conf'), { force: true });
      writeFileSync(join(data, 'standby.signal'), '');
    },
  });
}

/** Everything that the primary has written is to be seen there. */
function hasCaughtUp(primary: Cluster, standby: Cluster): Promise<boolean> {
  return eventually('the standby has caught up', async () => {
    const [own] = await ask<{ lsn: string }>(primary.url, 'SELECT pg_current_wal_lsn() AS lsn');
    const [row] = await ask<{ has: boolean }>(
      standby.url,
      `SELECT pg_last_wal_replay_lsn() >= '${own!.lsn}' AS has`,
    );
    return row!.has;
  });
}

for (const installation of installations) {
  const label = `postgres ${installation.major}`;
  test(`a reader on a standby with feedback is named by the doctor, and work goes on (${label})`, async (context) => {
    const primary = await platformServer(context, installation);
    const world = await openAt(primary.platform, 1);
    await liveAWhile(world);
    const standby = await standbyOf(context, installation, primary);
    await hasCaughtUp(primary, standby);
    const reader = new pg.Client({ connectionString: urlOf(standby, DATABASE) });
    await reader.connect();
    await reader.query('BEGIN ISOLATION LEVEL REPEATABLE READ');
    const { rows } = await reader.query('SELECT count(*)::int AS count FROM pawl.jobs');
    assert.equal(rows[0].count, 7);
    for (let n = 0; n < 20; n++) {
      await world.enqueue('work', { n });
      await world.complete(await world.claimOne('w9', 'work'));
    }
    const facts = await eventually('the standby says what it needs', async () => {
      const found = await gatherFacts(world.context);
      const { holders } = found.figures.server!;
      return holders.some(({ kind, transactions }) => kind === 'standby' && transactions! > 20)
        ? found
        : null;
    });
    const holder = facts.figures.server!.holders.find(({ kind }) => kind === 'standby')!;
    assert.equal(holder.name, 'reports');
    assert.ok((await examine(world.context)).length > 0);
    await reader.query('COMMIT');
    await reader.end();
    await world.close();
  });

  test(`a standby is refused while it follows, and goes on as another log once it has taken over (${label})`, async (context) => {
    const primary = await platformServer(context, installation);
    const before = await openAt(primary.platform, 1);
    await liveAWhile(before);
    const standby = await standbyOf(context, installation, primary);
    const picture = await pictureOf(before);
    const place = await placeInLog(before);
    await before.close();
    await hasCaughtUp(primary, standby);
    const url = urlOf(standby, DATABASE);
    await assert.rejects(openAt(url, 1), /is a standby.*cannot be written to/s);
    await primary.halt();
    await ask(standby.url, 'SELECT pg_promote()');
    const world = await openAt(url, 6);
    assert.deepEqual(await pictureOf(world), picture);
    await checkReset(world, place);
    await checkSound(world);
    await goOn(world);
    await world.close();
  });
}
