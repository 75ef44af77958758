// Faults of the database as a whole: killed, restarted, without sessions or room for more.
import { readFileSync } from 'node:fs';
import pg from 'pg';
import { eventually } from '../../support/eventually.ts';
import type { FleetDatabase } from './database.ts';
import { between, type Fault, pause, type Scene } from './fault.ts';

const SLOTS_MAX = 200;
const PATIENT = { timeoutMs: 60_000, everyMs: 100 };

function ofDatabase(
  kind: string,
  act: (database: FleetDatabase, scene: Scene) => Promise<boolean>,
): Fault {
  return {
    kind,
    plan: (scene) => {
      const { database } = scene.world;
      if (database === null) return null;
      const whole = async (): Promise<boolean> => {
        const isFelt = await act(database, scene);
        await isBack(database);
        return isFelt;
      };
      return { victims: ['database'], act: whole };
    },
  };
}

/** Until it answers again. */
export async function isBack(database: FleetDatabase): Promise<void> {
  const look = (): Promise<boolean> =>
    database.query('SELECT 1').then(
      () => true,
      () => false,
    );
  await eventually('the database to answer', look, PATIENT);
}

async function cutSessions(database: FleetDatabase, share: number): Promise<boolean> {
  const rows = await database.query(
    `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
     WHERE backend_type = 'client backend' AND pid <> pg_backend_pid() AND random() < $1`,
    [share],
  );
  return rows.length > 0;
}

/** The others see a server that crashed, and so does everybody who was connected. */
async function killSession(database: FleetDatabase): Promise<boolean> {
  const [row] = await database.query<{ pid: number }>(
    `SELECT pid FROM pg_stat_activity WHERE backend_type = 'client backend'
     AND pid <> pg_backend_pid() ORDER BY random() LIMIT 1`,
  );
  if (row === undefined) return false;
  process.kill(row.pid, 'SIGKILL');
  return true;
}

function childrenOf(pid: number): readonly number[] {
  const text = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8');
  return text.split(' ').filter(Boolean).map(Number);
}

async function standStill({ member }: FleetDatabase, ms: number): Promise<boolean> {
  const pids = [member.pid, ...childrenOf(member.pid)];
  const all = (signal: NodeJS.Signals): void => {
    for (const pid of pids) {
      try {
        process.kill(pid, signal);
      } catch {
        // A session that has ended meanwhile.
      }
    }
  };
  all('SIGSTOP');
  await pause(ms);
  all('SIGCONT');
  return pids.length > 1;
}

/** Sessions of somebody else until there is room for none. */
async function takeAllSlots(database: FleetDatabase, ms: number): Promise<boolean> {
  const taken: pg.Client[] = [];
  while (taken.length < SLOTS_MAX) {
    const client = new pg.Client({ connectionString: database.url });
    client.on('error', () => undefined);
    const isIn = await client.connect().then(
      () => true,
      () => false,
    );
    if (!isIn) break;
    taken.push(client);
  }
  await pause(ms);
  await Promise.all(taken.map((client) => client.end().catch(() => undefined)));
  return taken.length < SLOTS_MAX;
}

export const STORE_FAULTS: readonly Fault[] = [
  ofDatabase('kill -9 of the database', async (database) => {
    await database.kill();
    return true;
  }),
  ofDatabase('kill -9 of a database session', killSession),
  ofDatabase('the database restarted in order', async (database) => {
    await database.restart();
    return true;
  }),
  ofDatabase('the database stopped for a while', (database, { random }) =>
    standStill(database, between(random, 800, 2_500)),
  ),
  ofDatabase('all database sessions ended', (database) => cutSessions(database, 1)),
  ofDatabase('some database sessions ended', (database) => cutSessions(database, 0.3)),
  ofDatabase('no database session to be had', (database, { random }) =>
    takeAllSlots(database, between(random, 500, 1_500)),
  ),
];
