import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { after, before, describe, test } from 'node:test';
import { type Lifecycle, type Place, placeName, samePlace } from '../../core/lifecycle.ts';
import { listedMoves } from '../../core/lifecycle-soundness.ts';
import { rankOf } from '../../core/phase.ts';
import { builtInLifecycles } from '../../lifecycles/built-in.ts';
import { openSqliteStore } from './store.ts';

const folder = mkdtempSync(join(tmpdir(), 'pawl-guard-'));
const path = join(folder, 'jobs.sqlite');
let db: DatabaseSync;
let born = 0;

before(async () => {
  const store = await openSqliteStore({ path, lifecycles: builtInLifecycles, mode: 'inline' });
  await store.close();
  db = new DatabaseSync(path);
});
after(() => {
  db.close();
  rmSync(folder, { recursive: true, force: true });
});

const EPOCH = 5;
const VERSION = 9;

/** Puts a job somewhere by hand, as no verb of the store could. */
function place(lifecycle: Lifecycle, { state, phase }: Place): number {
  const { id } = db.prepare('SELECT id FROM lifecycles WHERE name = ?').get(lifecycle.name)!;
  const bytes = new Uint8Array(16);
  new DataView(bytes.buffer).setUint32(0, ++born);
  const { lastInsertRowid } = db
    .prepare(`INSERT INTO jobs (id, tenant_id, lifecycle, policy, type, queue, state, phase, epoch,
      version, priority, run_at, attempts, max_attempts, retry_count, progress, notes, created_at,
      updated_at, input)
      VALUES (?, 1, ?, 1, 'any', 'any', ?, ?, ?, ?, 0, 0, 0, 3, 0, 0, 0, 0, 0, '{}')`)
    .run(bytes, id!, state, rankOf(phase), EPOCH, VERSION);
  return Number(lastInsertRowid);
}

interface Attempt {
  readonly to: Place;
  readonly rise: number;
  readonly step: number;
}

/** Whether plain SQL gets through; what it changed is taken back at once. */
function isLetThrough(seq: number, { to, rise, step }: Attempt): boolean {
  db.exec('SAVEPOINT attempt');
  try {
    db.prepare('UPDATE jobs SET state = ?, phase = ?, epoch = ?, version = ? WHERE seq = ?').run(
      to.state,
      rankOf(to.phase),
      EPOCH + rise,
      VERSION + step,
      seq,
    );
    return true;
  } catch (error) {
    assert.match(String(error), /pawl refuses/);
    return false;
  } finally {
    db.exec('ROLLBACK TO attempt; RELEASE attempt');
  }
}

function isListed(lifecycle: Lifecycle, from: Place, { to, rise, step }: Attempt): boolean {
  const isOpen = rankOf(from.phase) < 5;
  const isAnnotation = isOpen && samePlace(from, to) && rise === 0 && step === 1;
  return (
    isAnnotation ||
    listedMoves(lifecycle).some(
      (move) =>
        samePlace(move.from, from) &&
        samePlace(move.to, to) &&
        rise === Number(move.opensEpoch) &&
        step === Number(!move.quiet),
    )
  );
}

const STEPS = [-1, 0, 1, 2];

function attemptsTo(places: readonly Place[]): Attempt[] {
  return places.flatMap((to) => STEPS.flatMap((rise) => STEPS.map((step) => ({ to, rise, step }))));
}

const IDS: Readonly<Record<string, string>> = {
  document: 'D2, D3, D11',
  process: 'O1',
  platform: 'P7, P15',
  task: 'T4',
  distributed: 'R2, R4',
};

/** What somebody might do to a job that has ended. */
const CHANGES = [
  'retry_count = 7',
  'attempts = 7',
  'version = version + 1',
  'version = version - 1',
  `result = '"other"'`,
  `input = '1'`,
  `error = '{"message":"other"}'`,
  `lease_owner = 'me'`,
  'lease_expiry = 9',
  'progress = 1',
  'gate = 0',
  'run_at = 9',
  'completed_at = 9',
  'updated_at = 9',
  `checkpoint = '1'`,
  `metadata = '{}'`,
];

describe('plain SQL', () => {
  for (const lifecycle of builtInLifecycles) {
    const { name, places } = lifecycle;
    test(`[${IDS[name]}] ${name}: exactly the listed moves get through`, () => {
      let count = 0;
      for (const from of places) {
        const seq = place(lifecycle, from);
        for (const attempt of attemptsTo(places)) {
          const { to, rise, step } = attempt;
          const title = `${placeName(from)} → ${placeName(to)}, epoch +${rise}, version +${step}`;
          const isExpected = isListed(lifecycle, from, attempt);
          assert.equal(isLetThrough(seq, attempt), isExpected, title);
          count += Number(isExpected);
        }
      }
      const open = places.filter(({ phase }) => rankOf(phase) < 5);
      assert.equal(count, listedMoves(lifecycle).length + open.length);
    });
  }

  test('[R4, R24] a refusal says what was refused and why', () => {
    const [running, queued] = [builtInLifecycles[4]!.places[2]!, builtInLifecycles[4]!.places[0]!];
    const seq = place(builtInLifecycles[4]!, running);
    const move = db.prepare('UPDATE jobs SET state = ?, phase = ?, version = ? WHERE seq = ?');
    assert.throws(
      () => move.run(queued.state, rankOf(queued.phase), VERSION + 1, seq),
      /running\/3 \(epoch 5, version 9\) to queued\/1 .*pair of epoch and phase must increase/,
    );
  });

  test('a state that no lifecycle has, or one of another lifecycle, is refused', () => {
    const [document, , platform] = builtInLifecycles;
    const seq = place(document!, { state: 'RUNNING', phase: 'executing' });
    for (const to of ['SUCCESS', 'DONE', '']) {
      const place: Place = { state: to, phase: 'succeeded' };
      assert.equal(isLetThrough(seq, { to: place, rise: 0, step: 1 }), false, to);
    }
    const { id } = db.prepare('SELECT id FROM lifecycles WHERE name = ?').get(platform!.name)!;
    assert.throws(
      () => db.prepare('UPDATE jobs SET lifecycle = ? WHERE seq = ?').run(id!, seq),
      /keeps its lifecycle/,
    );
  });

  test('no conflict clause and no upsert leads around the guard', () => {
    const task = builtInLifecycles[3]!;
    const seq = place(task, { state: 'succeeded', phase: 'succeeded' });
    const back = `state = 'pending', phase = 1, epoch = 6, version = 10`;
    for (const clause of ['', 'OR IGNORE', 'OR FAIL', 'OR REPLACE', 'OR ROLLBACK']) {
      const sql = `UPDATE ${clause} jobs SET ${back} WHERE seq = ${seq}`;
      assert.throws(() => db.exec(sql), /nothing leaves a terminal phase/, clause);
    }
    for (const sql of [
      `INSERT OR REPLACE INTO jobs SELECT * FROM jobs WHERE seq = ${seq}`,
      `REPLACE INTO jobs SELECT * FROM jobs WHERE seq = ${seq}`,
      `INSERT INTO jobs SELECT * FROM jobs WHERE seq = ${seq}
        ON CONFLICT DO UPDATE SET ${back}`,
    ]) {
      assert.throws(() => db.exec(sql), /the job exists already/, sql);
    }
  });

  test('[P11, D8] what names a job never changes', () => {
    const seq = place(builtInLifecycles[0]!, { state: 'QUEUED', phase: 'ready' });
    for (const change of [
      'seq = seq + 1000',
      'rowid = rowid + 1000',
      'oid = oid + 1000',
      '_rowid_ = _rowid_ + 1000',
      'id = zeroblob(16)',
      'tenant_id = 2',
      `type = 'other'`,
      'created_at = created_at + 1',
    ]) {
      const sql = `UPDATE jobs SET ${change} WHERE seq = ${seq}`;
      assert.throws(() => db.exec(sql), /never change/, change);
    }
  });

  test('a job that has not ended cannot be deleted; one that has takes its events along', () => {
    const task = builtInLifecycles[3]!;
    for (const from of task.places) {
      const seq = place(task, from);
      db.exec(`INSERT INTO events VALUES (${seq}, 1, 'job_created', 0, 'api', NULL, NULL, NULL,
        'pending', 1, 1, 0, 0, 0, NULL, NULL)`);
      const isEnded = rankOf(from.phase) >= 5;
      const remove = (): void => db.exec(`DELETE FROM jobs WHERE seq = ${seq}`);
      if (!isEnded) {
        assert.throws(remove, /only a job that has ended can be deleted/, placeName(from));
      }
      assert.throws(() => db.exec(`DELETE FROM events WHERE job_seq = ${seq}`), /are kept/);
      if (isEnded) {
        remove();
        const rest = db.prepare('SELECT count(*) AS n FROM events WHERE job_seq = ?').get(seq)!;
        assert.equal(rest['n'], 0);
      }
    }
  });

  test('[R4, R5] nothing of a job that has ended changes, but that its texts are erased', () => {
    for (const lifecycle of builtInLifecycles) {
      for (const from of lifecycle.places.filter(({ phase }) => rankOf(phase) >= 5)) {
        const seq = place(lifecycle, from);
        const change = (set: string): void => db.exec(`UPDATE jobs SET ${set} WHERE seq = ${seq}`);
        const before = db.prepare('SELECT * FROM jobs WHERE seq = ?').get(seq);
        for (const set of CHANGES) {
          assert.throws(() => change(set), /pawl refuses/, `${placeName(from)}: ${set}`);
        }
        assert.deepEqual(db.prepare('SELECT * FROM jobs WHERE seq = ?').get(seq), before);
        change(`input = 'null', result = NULL, checkpoint = NULL, message = NULL, metadata = NULL,
          error = NULL`);
      }
    }
  });

  test('[R5] events, notes and listed moves cannot be changed', () => {
    const seq = place(builtInLifecycles[3]!, { state: 'pending', phase: 'ready' });
    db.exec(`INSERT INTO events VALUES (${seq}, 1, 'job_created', 0, 'api', NULL, NULL, NULL,
      'pending', 1, 1, 0, 0, 0, NULL, NULL)`);
    db.exec(`INSERT INTO notes VALUES (${seq}, 1, 1, 'job_log', 0, 'api', NULL, NULL, NULL,
      'pending', 1, 1, 0, 0, 0, NULL, NULL)`);
    assert.throws(() => db.exec(`UPDATE events SET type = 'job_failed'`), /events are facts/);
    assert.throws(() => db.exec(`UPDATE notes SET message = 'x'`), /notes are facts/);
    assert.throws(() => db.exec('UPDATE moves SET quiet = 1'), /only grow/);
    assert.throws(() => db.exec('DELETE FROM moves'), /only grow/);
    assert.throws(
      () => db.exec(`INSERT INTO events SELECT * FROM events WHERE job_seq = ${seq}`),
      /UNIQUE constraint/,
    );
  });

  test('a renewal by hand does not wake the guard, and its columns are free', () => {
    const seq = place(builtInLifecycles[3]!, { state: 'running', phase: 'executing' });
    db.exec(`UPDATE jobs SET lease_expiry = 5, progress = 7, updated_at = 3 WHERE seq = ${seq}`);
    const row = db.prepare('SELECT progress, version FROM jobs WHERE seq = ?').get(seq)!;
    assert.deepEqual([row['progress'], row['version']], [7, VERSION]);
  });
});
