// A standby that serves readers, and takes over.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import pg from 'pg';
import { examine } from 'pawl/internal/doctor/checks';
import { gatherFacts } from 'pawl/internal/doctor/facts';
import { eventually } from '../support/eventually.ts';
import {
  ask,
  checkContinued,
  checkSound,
  goOn,
  liveAWhile,
  openAt,
  pictureOf,
  placeInLog,
  urlOf,
} from './life.ts';
import { DATABASE, installations, platformServer } from './servers.ts';
import { hasCaughtUp, standbyOf } from './standbys.ts';

for (const installation of installations) {
  const label = `postgres ${installation.major}`;
  test(`a reader on a standby with feedback is named by the doctor, and work goes on (${label})`, async (context) => {
    const primary = await platformServer(context, installation);
    const world = await openAt(primary.platform, 1);
    await liveAWhile(world);
    const standby = await standbyOf(context, installation, primary, { hot_standby_feedback: 'on' });
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
    await checkContinued(world, place);
    await checkSound(world);
    await goOn(world);
    await world.close();
  });
}
