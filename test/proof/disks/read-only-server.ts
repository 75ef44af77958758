// A PostgreSQL whose database becomes read-only and writable again, under the feet of a platform.
import { Client } from 'pg';
import { freshDatabase } from '../../support/postgres/fresh-database.ts';
import { postgresServers } from '../../support/postgres/servers.ts';
import { nothingPromised, Platform } from './platform.ts';
import type { Played } from './play.ts';

const ACTS: Readonly<Record<string, (platform: Platform) => Promise<void>>> = {
  enqueueing: (platform) => platform.enqueue('meanwhile'),
  claiming: (platform) => platform.claim(2),
  completing: (platform) => platform.complete(),
};

/** Sessions that are open keep their setting, so they are ended. */
async function setReadOnly(url: string, isReadOnly: boolean): Promise<void> {
  const client = new Client({ connectionString: url });
  await client.connect();
  const name = new URL(url).pathname.slice(1);
  const value = isReadOnly ? 'on' : 'off';
  await client.query('SET default_transaction_read_only = off');
  await client.query(`ALTER DATABASE "${name}" SET default_transaction_read_only = ${value}`);
  await client.query(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity
    WHERE datname = current_database() AND pid <> pg_backend_pid()`);
  await client.end();
}

async function playOne(url: string, act: (platform: Platform) => Promise<void>): Promise<string[]> {
  const found: string[] = [];
  const promised = nothingPromised();
  const platform = await Platform.open(url, promised);
  for (let job = 0; job < 4; job++) await platform.enqueue({ job });
  await platform.claim(2);
  await setReadOnly(url, true);
  await act(platform).catch((error: unknown) => void found.push(String(error)));
  const during = await platform.health();
  if (during.status !== 503 || during.store !== 'readOnly') {
    found.push(`meanwhile /readyz said ${during.status} ${during.store}`);
  }
  if (!(await platform.faults()).includes('disk')) found.push('the doctor found nothing');
  await setReadOnly(url, false);
  await platform.health();
  const after = await platform.health();
  if (after.status !== 200) found.push(`afterwards /readyz said ${after.status} ${after.store}`);
  const before = promised.accepted.size;
  await platform.enqueue('after');
  if (promised.accepted.size === before) found.push('no job is accepted afterwards');
  found.push(...(await platform.broken(promised)));
  await platform.close();
  return found;
}

export async function playReadOnlyServers(say: (one: Played) => void): Promise<void> {
  for (const server of await postgresServers()) {
    for (const [doing, act] of Object.entries(ACTS)) {
      const database = await freshDatabase(server);
      const name = `a read-only ${server.label} while ${doing}`;
      const found = await playOne(database.url, act).catch((error: unknown) => [String(error)]);
      say({ name, found });
      await database.drop();
    }
  }
}
