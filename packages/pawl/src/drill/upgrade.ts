// Two releases at work on a copy of a database: the older one, the migration, both, and back.
import { createServer } from 'node:net';
import { once } from 'node:events';
import { systemClock } from '../core/clock.ts';
import { PawlError } from '../core/errors.ts';
import { verify } from '../doctor/verify.ts';
import { builtInLifecycles as lifecycles } from '../lifecycles/built-in.ts';
import { recordsOf } from '../records/records.ts';
import { openPostgresStore } from '../store/postgres/store.ts';
import { Child } from './child.ts';
import type { Order, Report } from './order.ts';
import { ownFile, ownRelease, type Release, releaseIn } from './release.ts';
import { sessionsOn } from './sessions.ts';

export interface UpgradeDrill {
  /** A copy of the database: what is done here stays in it. */
  readonly copy: string;
  /** A project with the older release. */
  readonly from: string;
  /** How many jobs each process does in each part. */
  readonly jobs: number;
  readonly env: NodeJS.ProcessEnv;
  readonly say: (line: string) => void;
}

export interface UpgradeReport {
  readonly from: string;
  readonly to: string;
  readonly migrationMs: number;
  readonly jobs: number;
  /** The longest enqueue of the older release, also while the schema changed. */
  readonly slowestMs: number;
  /** Jobs that were accepted and have not succeeded, and laws that stored history breaks. */
  readonly violations: readonly string[];
}

export async function drillUpgrade(drill: UpgradeDrill): Promise<UpgradeReport> {
  const { copy, jobs, say } = drill;
  if (copy === drill.env['DATABASE_URL']) {
    throw new PawlError(
      'VALIDATION_ERROR',
      'the database is the one of DATABASE_URL: the drill needs a copy of it',
    );
  }
  const sessions = await sessionsOn(copy);
  if (sessions > 0) {
    throw new PawlError(
      'VALIDATION_ERROR',
      `${sessions} sessions of Pawl are open on the database: the drill needs a copy`,
    );
  }
  const [older, newer] = [releaseIn(drill.from), ownRelease()];
  const stage = new Stage(drill, older.hasServer && newer.hasServer);
  if (!stage.hasServers) say('HTTP is left out: @pawl/server is not installed with both releases');
  try {
    say(`${older.version} alone`);
    await stage.serve(older);
    const early = await stage.enter('older', older);
    await early.doMore(jobs);
    say(`${newer.version} migrates beside it`);
    const began = performance.now();
    const migrating = openPostgresStore({ url: copy, lifecycles }).then((store) => store.close());
    await Promise.all([migrating, early.doMore(jobs)]);
    const migrationMs = Math.round(performance.now() - began);
    say('both');
    await stage.serve(newer);
    const late = await stage.enter('newer', newer);
    await Promise.all([early.doMore(jobs), late.doMore(jobs)]);
    say(`${older.version} starts again, on the new schema`);
    const reports = [await stage.leave(early)];
    const back = await stage.enter('older again', older);
    await Promise.all([back.doMore(jobs), late.doMore(jobs)]);
    reports.push(await stage.leave(back), await stage.leave(late));
    say('every job, and all stored history');
    const ids = reports.flatMap(({ submitted }) => submitted);
    const violations = await judge(copy, ids);
    const slowestMs = Math.round(Math.max(reports[0]!.slowestMs, reports[1]!.slowestMs));
    const versions = { from: older.version, to: newer.version };
    return { ...versions, migrationMs, jobs: ids.length, slowestMs, violations };
  } finally {
    await stage.close();
  }
}

/** The processes of the drill. */
class Stage {
  readonly hasServers: boolean;
  readonly #drill: UpgradeDrill;
  readonly #children: Child[] = [];
  readonly #servers: string[] = [];

  constructor(drill: UpgradeDrill, hasServers: boolean) {
    this.#drill = drill;
    this.hasServers = hasServers;
  }

  /** Without workers and sweeps: nothing leaves, and no job of the copy is run. */
  async serve({ command, version }: Release): Promise<void> {
    if (!this.hasServers) return;
    const { env, copy } = this.#drill;
    const port = await freePort();
    const args = [command, 'start', '--role', 'api', '--port', String(port)];
    const own = { ...env, DATABASE_URL: copy, HOST: '127.0.0.1', NO_COLOR: '1' };
    const server = new Child(`the server of ${version}`, args, own);
    this.#children.push(server);
    await server.line((line) => line.includes('Pawl is running'));
    this.#servers.push(`http://127.0.0.1:${port}`);
  }

  async enter(name: string, { library, client }: Release): Promise<Child> {
    const { env, copy } = this.#drill;
    const order: Order = { name, library, client, database: copy, servers: this.#servers };
    const args = [ownFile('participant').pathname, JSON.stringify(order)];
    const child = new Child(`the process "${name}"`, args, env);
    this.#children.push(child);
    await child.line((line) => line === 'ready');
    return child;
  }

  async leave(child: Child): Promise<Report> {
    return JSON.parse(await child.finish()) as Report;
  }

  async close(): Promise<void> {
    await Promise.all(this.#children.map((child) => child.end()));
  }
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as { port: number };
  server.close();
  await once(server, 'close');
  return port;
}

const AT_A_TIME = 500;

async function judge(url: string, ids: readonly string[]): Promise<string[]> {
  const store = await openPostgresStore({ url, lifecycles, migrate: 'check' });
  try {
    const violations: string[] = [];
    for (let first = 0; first < ids.length; first += AT_A_TIME) {
      const some = ids.slice(first, first + AT_A_TIME);
      const found = await store.read(some.map((id) => ({ tenant: 'default', id })));
      for (const [index, job] of found.entries()) {
        if (job?.phase === 'succeeded') continue;
        violations.push(`job ${some[index]} was accepted and is ${job?.phase ?? 'not there'}`);
      }
    }
    const records = recordsOf(store);
    const stored = { store, records, registry: { lifecycles }, clock: systemClock };
    for await (const step of verify(stored)) {
      if (step.kind !== 'violation') continue;
      const { invariant, jobId, message } = step.violation;
      violations.push(`${invariant} job ${jobId}: ${message}`);
    }
    return violations;
  } finally {
    await store.close();
  }
}
