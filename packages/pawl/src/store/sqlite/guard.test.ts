import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { after, before, describe, test } from 'node:test';
import { type Lifecycle, type Place, placeName, samePlace } from '../../core/lifecycle.ts';
import { listedMoves } from '../../core/lifecycle-soundness.ts';
import { isOwned, isTerminal, rankOf } from '../../core/phase.ts';
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

function codeOf({ places }: Lifecycle, state: string): number {
  return [...new Set(places.map((place) => place.state))].indexOf(state) + 1;
}

/** Puts a job somewhere by hand, as no verb could: the guard of births is taken off for it. */
function place(lifecycle: Lifecycle, { state, phase }: Place): number {
  const { number } = db
    .prepare('SELECT number FROM lifecycles WHERE name = ?')
    .get(lifecycle.name)!;
  const bytes = new Uint8Array(16);
  new DataView(bytes.buffer).setUint32(0, ++born);
  const { lastInsertRowid } = db
    .prepare(`INSERT INTO facts (tenant, lane, policy, lifecycle, priority, created_at, id, input)
      VALUES (1, 1, 1, ?, 0, 0, ?, '{}')`)
    .run(number!, bytes);
  const { sql } = db.prepare(`SELECT sql FROM sqlite_schema WHERE name = 'live_births'`).get()!;
  const owner = isOwned(phase) ? 1 : null;
  db.exec('DROP TRIGGER live_births');
  db.prepare(`INSERT INTO live (key, lane, policy, lifecycle, state, phase, epoch, version, notes,
      flags, attempts, retry_count, priority, progress, rank_at, run_at, updated_at, owner,
      lease_expiry) VALUES (?, 1, 1, ?, ?, ?, ?, ?, 0, 0, 0, 0, 0, 0, 0, 0, 0, ?, ?)`).run(
    lastInsertRowid,
    number!,
    codeOf(lifecycle, state),
    rankOf(phase),
    EPOCH,
    VERSION,
    owner,
    owner,
  );
  db.exec(sql as string);
  return Number(lastInsertRowid);
}

/** The same for a job that has ended, which came there from wherever. */
function endedAt(lifecycle: Lifecycle, to: Place): number {
  const { from } = listedMoves(lifecycle).find((move) => samePlace(move.to, to))!;
  const key = place(lifecycle, from);
  end(key, lifecycle, { to, rise: 0, step: 1 });
  db.prepare('DELETE FROM live WHERE key = ?').run(key);
  return key;
}

function end(key: number, lifecycle: Lifecycle, { to, rise, step }: Attempt): void {
  db.prepare(`INSERT INTO ended (key, state, phase, epoch, version, flags, attempts, retry_count,
      progress, run_at, completed_at, end_n) VALUES (?, ?, ?, ?, ?, 0, 0, 0, 0, 0, 0, 0)`).run(
    key,
    codeOf(lifecycle, to.state),
    rankOf(to.phase),
    EPOCH + rise,
    VERSION + step,
  );
}

interface Attempt {
  readonly to: Place;
  readonly rise: number;
  readonly step: number;
}

/** Whether plain SQL gets through; what it changed is taken back at once. */
function isLetThrough(key: number, lifecycle: Lifecycle, attempt: Attempt): boolean {
  const { to, rise, step } = attempt;
  const owner = isOwned(to.phase) ? 1 : null;
  db.exec('SAVEPOINT attempt');
  try {
    if (isTerminal(to.phase)) {
      end(key, lifecycle, attempt);
    } else {
      db.prepare(`UPDATE live SET state = ?, phase = ?, epoch = ?, version = ?, owner = ?,
          lease_expiry = ? WHERE key = ?`).run(
        codeOf(lifecycle, to.state),
        rankOf(to.phase),
        EPOCH + rise,
        VERSION + step,
        owner,
        owner,
        key,
      );
    }
    return true;
  } catch (error) {
    assert.match(String(error), /pawl refuses/);
    return false;
  } finally {
    db.exec('ROLLBACK TO attempt; RELEASE attempt');
  }
}

function isListed(lifecycle: Lifecycle, from: Place, { to, rise, step }: Attempt): boolean {
  const isAnnotation = samePlace(from, to) && rise === 0 && step === 1;
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

const [, , , task, distributed] = builtInLifecycles;

describe('plain SQL', () => {
  for (const lifecycle of builtInLifecycles) {
    const { name } = lifecycle;
    test(`[${IDS[name]}] ${name}: exactly the listed moves get through`, () => {
      const places = lifecycle.places.filter(({ phase }) => !isTerminal(phase));
      let count = 0;
      for (const from of places) {
        const key = place(lifecycle, from);
        for (const attempt of attemptsTo(lifecycle.places)) {
          const { to, rise, step } = attempt;
          const title = `${placeName(from)} → ${placeName(to)}, epoch +${rise}, version +${step}`;
          const isExpected = isListed(lifecycle, from, attempt);
          assert.equal(isLetThrough(key, lifecycle, attempt), isExpected, title);
          count += Number(isExpected);
        }
      }
      assert.equal(count, listedMoves(lifecycle).length + places.length);
    });
  }

  test('[R4, R24] a refusal says which rule was broken', () => {
    const key = place(distributed!, { state: 'running', phase: 'executing' });
    const move = (set: string): void => db.exec(`UPDATE live SET ${set} WHERE key = ${key}`);
    const back = `owner = NULL, lease_expiry = NULL, state = ${codeOf(distributed!, 'queued')}`;
    assert.throws(() => move(`${back}, phase = 1, version = 10`), /epoch and phase must increase/);
    assert.throws(() => move(`${back}, phase = 1, epoch = 7`), /the epoch may stay or rise by one/);
    assert.throws(() => move('version = 11'), /the version may rise by one only/);
    assert.throws(
      () =>
        move(`state = ${codeOf(distributed!, 'queued')}, phase = 4, version = 10,
      owner = NULL, lease_expiry = NULL`),
      /lists no such move/,
    );
  });

  test('[R24] nothing leaves a terminal phase, by whatever clause', () => {
    const succeeded: Place = { state: 'succeeded', phase: 'succeeded' };
    const key = endedAt(task!, succeeded);
    const back = `state = 1, phase = 6, epoch = 6, version = 11`;
    for (const clause of ['', 'OR IGNORE', 'OR FAIL', 'OR REPLACE', 'OR ROLLBACK']) {
      const sql = `UPDATE ${clause} ended SET ${back} WHERE key = ${key}`;
      assert.throws(() => db.exec(sql), /what is written in ended does not change/, clause);
    }
    const row = `SELECT * FROM ended WHERE key = ${key}`;
    for (const sql of [
      `INSERT OR REPLACE INTO ended ${row}`,
      `REPLACE INTO ended ${row}`,
      `INSERT INTO ended ${row} ON CONFLICT DO UPDATE SET ${back}`,
    ]) {
      assert.throws(() => db.exec(sql), /no lifecycle lists it for a job that stands there/, sql);
    }
    assert.throws(
      () =>
        db.exec(`INSERT INTO live (key, lane, policy, lifecycle, state, phase, epoch, version,
          notes, flags, attempts, retry_count, priority, progress, rank_at, run_at, updated_at)
          VALUES (${key}, 1, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0)`),
      /a job is born once/,
    );
    assert.throws(() => db.exec(`DELETE FROM ended WHERE key = ${key}`), /does not change/);
  });

  test('no conflict clause and no upsert leads around the guard of a job that lives', () => {
    const key = place(task!, { state: 'pending', phase: 'ready' });
    const row = `SELECT * FROM live WHERE key = ${key}`;
    for (const sql of [`REPLACE INTO live ${row}`, `INSERT OR REPLACE INTO live ${row}`]) {
      assert.throws(() => db.exec(sql), /a job is born once/, sql);
    }
    const facts = `SELECT * FROM facts WHERE key = ${key}`;
    for (const sql of [`REPLACE INTO facts ${facts}`, `INSERT OR REPLACE INTO facts ${facts}`]) {
      assert.throws(() => db.exec(sql), /the job exists already/, sql);
    }
    assert.throws(
      () => db.exec(`DELETE FROM live WHERE key = ${key}`),
      /only a job that has ended/,
    );
    assert.throws(() => db.exec(`DELETE FROM facts WHERE key = ${key}`), /does not change/);
  });

  test('[P11, D8] what names a job never changes', () => {
    const key = place(task!, { state: 'pending', phase: 'ready' });
    for (const change of [
      'key = key + 1000',
      'rowid = rowid + 1000',
      'oid = oid + 1000',
      'id = zeroblob(16)',
      'tenant = 2',
      'lane = 2',
      'created_at = created_at + 1',
    ]) {
      const sql = `UPDATE facts SET ${change} WHERE key = ${key}`;
      assert.throws(() => db.exec(sql), /does not change/, change);
    }
    for (const change of [
      'key = key + 1000',
      'rowid = rowid + 1000',
      'lane = 2',
      'lifecycle = 2',
    ]) {
      const sql = `UPDATE live SET ${change} WHERE key = ${key}`;
      assert.throws(() => db.exec(sql), /a job keeps its lifecycle, lane and key/, change);
    }
  });

  test('[R5] the log, notes and listed moves cannot be changed', () => {
    db.exec(`INSERT INTO log VALUES (1, 0, 1, 1, 1, NULL, NULL, NULL, 1, 1, 0, 'api', '[1]', '[1]',
      '[0]', '[0]', '[0]', '[1]', NULL)`);
    db.exec(`INSERT INTO notes VALUES (2, 1, 1, 1, 0, 1, 1, 105, 1, 3, 1, 1, 0, 0, 'api', NULL,
      'x', NULL)`);
    db.exec(`INSERT INTO log_texts VALUES (1, 1, NULL, NULL, 'cause', NULL, NULL)`);
    for (const sql of [
      'UPDATE log SET kind = 11',
      'DELETE FROM log',
      `UPDATE notes SET message = 'y'`,
      'DELETE FROM notes',
      `UPDATE log_texts SET cause = 'other'`,
      'DELETE FROM log_texts',
    ]) {
      assert.throws(() => db.exec(sql), /does not change/, sql);
    }
    assert.throws(() => db.exec('REPLACE INTO log SELECT * FROM log'), /has this number already/);
    assert.throws(() => db.exec('UPDATE moves SET is_quiet = 1'), /only grow/);
    assert.throws(() => db.exec('DELETE FROM moves'), /only grow/);
  });

  test('a renewal by hand does not wake the guard, and its columns are free', () => {
    const key = place(task!, { state: 'running', phase: 'executing' });
    db.exec(`UPDATE live SET lease_expiry = 5, progress = 7, updated_at = 3 WHERE key = ${key}`);
    const row = db.prepare('SELECT progress, version FROM live WHERE key = ?').get(key)!;
    assert.deepEqual([row['progress'], row['version']], [7, VERSION]);
  });
});
