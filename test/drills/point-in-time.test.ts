// Point-in-time recovery: a copy of the files, and the write-ahead log up to just before a mistake.
import assert from 'node:assert/strict';
import { cpSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { eventually } from '../support/eventually.ts';
import {
  ask,
  checkLost,
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

for (const installation of installations) {
  test(`[R7] a platform recovered to a point in time is as it was then, and knows that it is another log (postgres ${installation.major})`, async (context) => {
    const folder = folderFor(context, 'recovery');
    const archive = folderFor(context, 'archive');
    const primary = await platformServer(context, installation, {
      archive_mode: 'on',
      archive_command: `cp %p ${archive}/%f`,
    });
    const before = await openAt(primary.platform, 1);
    await liveAWhile(before);
    await baseBackup(primary, join(folder, 'base'));
    await before.enqueue('work', { after: 'the copy' });
    const picture = await pictureOf(before);
    await ask(primary.url, `SELECT pg_create_restore_point('before_the_mistake')`);

    const lostJob = await before.enqueue('later', { lost: true });
    const lostClaim = await before.claimOne('lost-worker', 'later');
    const place = await placeInLog(before);
    await before.close();
    const [last] = await ask<{ name: string }>(
      primary.url,
      'SELECT pg_walfile_name(pg_switch_wal()) AS name',
    );
    await eventually('the log is in the archive', async () => {
      const [row] = await ask<{ name: string | null }>(
        primary.url,
        'SELECT last_archived_wal AS name FROM pg_stat_archiver',
      );
      return (row!.name ?? '') >= last!.name;
    });

    const recovered = await serverFor(context, installation, {
      settings: {
        restore_command: `cp ${archive}/%f %p`,
        recovery_target_name: 'before_the_mistake',
        recovery_target_action: 'promote',
      },
      fill: async (data) => {
        cpSync(join(folder, 'base'), data, { recursive: true });
        writeFileSync(join(data, 'recovery.signal'), '');
      },
    });
    const world = await openAt(urlOf(recovered, DATABASE), 6);
    assert.deepEqual(await pictureOf(world), picture);
    await assert.rejects(world.job(lostJob.id), { code: 'NOT_FOUND' });
    await assert.rejects(world.complete(lostClaim), { code: 'LEASE_LOST' });
    await checkLost(world, place);
    await checkSound(world);
    await goOn(world);
    await world.close();
  });
}
