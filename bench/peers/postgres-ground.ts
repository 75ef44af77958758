import pg from 'pg';
import { conditionsOf, startDurablePostgres } from '../harness/durable-postgres.ts';
import type { Contender } from './contenders.ts';
import type { Meter, OpenGround, Plot } from './grounds.ts';
import { rawSqlThrough } from './ceiling/pgbench.ts';
import { treeUsage } from './process-tree.ts';

/** A server of its own; each measurement gets a copy of a database that the product prepared. */
export async function openPostgresGround(): Promise<OpenGround | string> {
  const server = await startDurablePostgres();
  if (server === null) return 'no PostgreSQL was found: npm install brings one';
  const client = new pg.Client({ connectionString: server.url });
  // A server that ends early is noticed by the next question.
  client.on('error', () => undefined);
  await client.connect();
  const urlOf = (name: string): string => {
    const url = new URL(server.url);
    url.pathname = `/${name}`;
    return url.href;
  };
  const templates = new Map<string, string>();
  let plots = 0;
  const templateFor = async (
    { name }: Contender,
    prepare: (url: string) => Promise<void>,
  ): Promise<string> => {
    const known = templates.get(name);
    if (known !== undefined) return known;
    const template = `template_${templates.size}`;
    await client.query(`CREATE DATABASE ${template} TEMPLATE template0`);
    await prepare(urlOf(template));
    templates.set(name, template);
    return template;
  };
  return {
    conditions: `${await conditionsOf(client)}; on a unix socket; ${rawSqlThrough()}`,
    async plot(contender, prepare): Promise<Plot> {
      const template = await templateFor(contender, prepare);
      const name = `plot_${plots++}`;
      await client.query(`CREATE DATABASE ${name} TEMPLATE ${template}`);
      // What others have left to be written does not fall into this one's time.
      await client.query('CHECKPOINT');
      const inside = new pg.Client({ connectionString: urlOf(name) });
      inside.on('error', () => undefined);
      await inside.connect();
      return {
        url: urlOf(name),
        settle: async () => void (await inside.query('ANALYZE')),
        meter: () => meterOf(inside),
        async clear() {
          await inside.end();
          await client.query(`DROP DATABASE ${name} WITH (FORCE)`);
        },
      };
    },
    async close() {
      await client.end();
      await server.stop();
    },
  };
}

async function meterOf(client: pg.Client): Promise<Meter> {
  const { rows } = await client.query<{ wal: number; written: number; pid: number }>(
    `SELECT (pg_current_wal_insert_lsn() - '0/0'::pg_lsn)::float8 AS wal,
       (tup_inserted + tup_updated + tup_deleted)::float8 AS written,
       split_part(pg_read_file('postmaster.pid'), E'\\n', 1)::int AS pid
     FROM pg_stat_database WHERE datname = current_database()`,
  );
  const { wal, written, pid } = rows[0]!;
  return { logBytes: wal, rowsWritten: written, ...treeUsage(pid) };
}
