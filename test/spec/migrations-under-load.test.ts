// The next release migrates a database that this release is working on, and both go on beside each
// other. There is no earlier release to play the part of the older one, so this release plays it.
import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { test, type TestContext } from 'node:test';
import { fileURLToPath } from 'node:url';
import pg from 'pg';
import { readConfiguration } from '@pawl/server/internal/app/configuration';
import { startPlatform } from '@pawl/server/internal/app/platform';
import { checkHistory } from 'pawl/internal/check/check-history';
import type { CompleteOperation, SubmitOperation } from 'pawl/internal/check/history';
import { systemClock } from 'pawl/internal/core/clock';
import { systemIds } from 'pawl/internal/core/ids';
import { systemRandom } from 'pawl/internal/core/random';
import { Engine } from 'pawl/internal/engine/engine';
import { openContext } from 'pawl/internal/engine/open-context';
import { builtInLifecycles as lifecycles } from 'pawl/internal/lifecycles/built-in';
import { MIGRATIONS } from 'pawl/internal/store/postgres/migrations';
import { checkMigrations, migrate } from 'pawl/internal/store/postgres/migrations-runner';
import { Database } from 'pawl/internal/store/postgres/database';
import { openPostgresStore } from 'pawl/internal/store/postgres/store';
import { readAll } from '../simulation/read-all.ts';
import { News } from '../support/news.ts';
import { freshDatabase } from '../support/postgres/fresh-database.ts';
import { CONTRACTION, EXPANSION } from '../support/postgres/next-release.ts';
import { postgresServers } from '../support/postgres/servers.ts';

const TENANT = 'acme';
const NEXT = [...MIGRATIONS, ...EXPANSION];
const program = fileURLToPath(new URL('release-process.ts', import.meta.url));

interface Report {
  readonly submitted: readonly string[];
  readonly completed: readonly { readonly jobId: string; readonly epoch: number }[];
  readonly turnMs: readonly number[];
}

/** A process at work: how many jobs it has done, and in the end all that it did. */
class Member {
  readonly name: string;
  readonly #child: ChildProcess;
  readonly #report = Promise.withResolvers<Report>();
  readonly #news = new News();
  #done = -1;
  #isEnded = false;

  constructor(url: string, name: string, release: 'this' | 'next') {
    this.name = name;
    this.#child = spawn(process.execPath, [program, url, name, release], {
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    createInterface({ input: this.#child.stdout! }).on('line', (line) => {
      if (line.startsWith('{')) this.#report.resolve(JSON.parse(line) as Report);
      else this.#done = line === 'ready' ? 0 : Number(line);
      this.#news.tell();
    });
    this.#child.once('exit', (code) => {
      this.#isEnded = true;
      this.#news.tell();
      this.#report.reject(new Error(`${name} has ended with ${code}`));
    });
    this.#report.promise.catch(() => undefined);
  }

  /** Resolves when it has done so many more jobs than now. */
  async doMore(jobs: number): Promise<void> {
    const goal = Math.max(this.#done, 0) + jobs;
    await this.#news.until(`${this.name} has done ${goal} jobs`, () => {
      if (this.#isEnded) throw new Error(`${this.name} has ended before`);
      return this.#done >= goal;
    });
  }

  stop(): Promise<Report> {
    this.#child.stdin!.write('stop\n');
    return this.#report.promise;
  }

  async kill(): Promise<void> {
    if (this.#isEnded) return;
    const ended = once(this.#child, 'exit');
    this.#child.kill('SIGKILL');
    await ended;
  }
}

/** A pool that counts how often the busy table was to be altered. */
class Migrator {
  alters = 0;
  readonly news: News = new News();
  readonly pool: pg.Pool;
  readonly database: Database;

  constructor(url: string) {
    const count = (text: string): void => {
      if (!text.startsWith('ALTER TABLE live')) return;
      this.alters += 1;
      this.news.tell();
    };
    this.pool = new pg.Pool({ connectionString: url, max: 3 });
    this.pool.on('connect', (client) => {
      const query = client.query.bind(client) as (...args: unknown[]) => unknown;
      client.query = ((config: pg.QueryConfig | string, ...rest: unknown[]) => {
        count(typeof config === 'string' ? config : config.text);
        return query(config, ...rest);
      }) as typeof client.query;
    });
    const options = { pool: this.pool, isOwn: false, schema: 'pawl', random: systemRandom };
    this.database = new Database(options);
  }
}

function operationsOf(reports: readonly Report[], names: readonly string[]) {
  const submits = reports.flatMap(({ submitted }) =>
    submitted.map((jobId): SubmitOperation => {
      const told = { tenant: TENANT, outcome: 'ok', jobId } as const;
      return { kind: 'submit', ...told, correlationId: null, idempotency: null };
    }),
  );
  const completions = reports.flatMap(({ completed }, index) =>
    completed.map(({ jobId, epoch }): CompleteOperation => {
      const told = { tenant: TENANT, outcome: 'ok', jobId, result: null } as const;
      return { kind: 'complete', ...told, owner: names[index]!, epoch };
    }),
  );
  return [...submits, ...completions];
}

async function openFixture(context: TestContext, server: { url: string }) {
  const database = await freshDatabase(server);
  const store = await openPostgresStore({ url: database.url, lifecycles });
  const ids = systemIds(systemClock);
  const engine = new Engine(openContext({ store, lifecycles, random: systemRandom, ids }));
  await engine.putType({ tenant: TENANT, type: 'mail' }, { lifecycle: 'task' });
  const members: Member[] = [];
  const migrator = new Migrator(database.url);
  const stranger = new pg.Client({ connectionString: database.url });
  await stranger.connect();
  context.after(async () => {
    await Promise.all(members.map((member) => member.kill()));
    await stranger.end();
    await migrator.pool.end();
    await store.close();
    await database.drop();
  });
  const start = (name: string, release: 'this' | 'next'): Member => {
    const member = new Member(database.url, name, release);
    members.push(member);
    return member;
  };
  return { engine, store, migrator, stranger, members, start, url: database.url };
}

for (const server of await postgresServers()) {
  const on = `on ${server.label}`;
  const beside = 'the next release migrates under load and runs beside this one';
  void test(`[F46, F47] ${on}: ${beside}`, async (context) => {
    const fixture = await openFixture(context, server);
    const { migrator, stranger, members } = fixture;
    const early = [fixture.start('old-1', 'this'), fixture.start('old-2', 'this')];
    await Promise.all(early.map((member) => member.doMore(10)));

    // Somebody's report keeps the table from being altered: the others must not wait behind that.
    await stranger.query('BEGIN');
    await stranger.query('SELECT count(*) FROM pawl.live');
    const migrated = migrate(migrator.database, NEXT);
    await migrator.news.until('the change was tried again', () => migrator.alters >= 2);
    await Promise.all(early.map((member) => member.doMore(10)));
    await stranger.query('COMMIT');
    await migrated;

    const late = [fixture.start('new', 'next'), fixture.start('old-3', 'this')];
    await Promise.all([...early, ...late].map((member) => member.doMore(10)));
    const reports = await Promise.all(members.map((member) => member.stop()));
    await workOffTheRest(fixture.engine);

    const { rows } = await stranger.query<{ owner: string; colours: number }>(
      `SELECT e.actor AS owner, count(c.colour)::int AS colours FROM pawl.job_events e
       LEFT JOIN pawl.colours c ON c.id = e.job_id WHERE e.type = 'job_claimed' GROUP BY 1`,
    );
    for (const { owner, colours } of rows) {
      assert.equal(colours > 0, owner === 'worker:new', `${owner} wrote ${colours} colours`);
    }
    const left = await readAll(fixture.store, [TENANT]);
    const names = members.map(({ name }) => name);
    const history = operationsOf(reports, names);
    assert.equal(left.jobs.length, history.filter(({ kind }) => kind === 'submit').length);
    assert.ok(left.jobs.every(({ phase }) => phase === 'succeeded'));
    assert.deepEqual(checkHistory({ lifecycles, ...left, history }), []);
    tellPauses(context, reports);
  });

  const tooOld = 'code that a later release has left behind is refused';
  void test(`[F47] ${on}: ${tooOld}`, async (context) => {
    const { migrator, stranger, url } = await openFixture(context, server);
    await migrate(migrator.database, [...NEXT, CONTRACTION]);
    const open = (mode: 'apply' | 'check') =>
      openPostgresStore({ url, lifecycles, migrate: mode }).then((store) => store.close());
    for (const mode of ['apply', 'check'] as const) {
      await assert.rejects(open(mode), {
        name: 'StoreError',
        outcome: 'refused',
        message: new RegExp(
          `knows version ${CONTRACTION.floor} at least; this one knows ${CONTRACTION.floor! - 2}`,
        ),
      });
    }
    await checkMigrations(migrator.database, NEXT);
    await stranger.query('DELETE FROM pawl.migrations WHERE version > $1', [CONTRACTION.floor]);
    await open('check');
  });
}

for (const server of await postgresServers()) {
  const pending = 'a platform that may only check says what is pending';
  void test(`on ${server.label}: ${pending}`, async (context) => {
    const database = await freshDatabase(server);
    context.after(() => database.drop());
    const env = { PORT: '0', DATABASE_URL: database.url, PAWL_MIGRATE: 'check' };
    await assert.rejects(startPlatform(readConfiguration(env), { warn: () => undefined }), {
      name: 'StoreError',
      message: /version 0, and pending are 1 .*start one Pawl of this release with a role that may/,
    });
    assert.throws(() => readConfiguration({ PAWL_MIGRATE: 'no' }), {
      name: 'ConfigurationError',
      message: 'PAWL_MIGRATE is "no": give apply or check',
    });
  });
}

async function workOffTheRest(engine: Engine): Promise<void> {
  const owner = 'last';
  for (;;) {
    const claims = await engine.claim({ owner, types: ['mail'], max: 50 });
    if (claims.length === 0) return;
    const held = claims.map(({ job }) => ({ ref: job, owner, epoch: job.epoch }));
    await engine.settle(held.map((one) => ({ ...one, ending: { kind: 'succeed' } as const })));
  }
}

/** For the reader of the run; a loaded machine must not fail the test. */
function tellPauses(context: TestContext, reports: readonly Report[]): void {
  const all = reports.flatMap(({ turnMs }) => turnMs).toSorted((one, other) => one - other);
  const at = (share: number): string => all[Math.floor((all.length - 1) * share)]!.toFixed(0);
  context.diagnostic(
    `${all.length} turns of four calls: p50 ${at(0.5)} ms, p99 ${at(0.99)} ms, slowest ${at(1)} ms`,
  );
}
