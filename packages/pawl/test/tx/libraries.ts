// The libraries whose transactions `pawl/tx` knows, each as its users use it: one that opens a
// transaction, writes a row of its own in it, and hands it to a test.
import { sql as drizzleSql } from 'drizzle-orm';
import { drizzle as drizzlePg } from 'drizzle-orm/node-postgres';
import { drizzle as drizzlePostgresJs } from 'drizzle-orm/postgres-js';
import { Kysely, PostgresDialect, sql as kyselySql } from 'kysely';
import pg from 'pg';
import postgres from 'postgres';
import { DataSource } from 'typeorm';
import type { SqlTransaction } from '../../src/store/transaction.ts';
import {
  fromDrizzle,
  fromKysely,
  fromPostgresJs,
  fromPrisma,
  fromTypeOrm,
} from '../../src/tx/from-library.ts';
import { openPrisma } from './prisma-client.ts';

/** One database, opened by one library. */
export interface Opened {
  /** Commits what `body` did after a row of its own was written, unless `body` throws. */
  transact(order: number, body: (tx: SqlTransaction) => Promise<void>): Promise<void>;
  /** What is no transaction, given in its place. */
  outside(): SqlTransaction;
  /** A transaction as the library has it, which is no `pg` client. */
  untranslated(body: (tx: unknown) => Promise<void>): Promise<void>;
  close(): Promise<void>;
}

export interface Library {
  readonly name: string;
  /** How the refusal of what is no transaction names what is one. */
  readonly remedy: RegExp;
  /** The function of `pawl/tx` that the refusal of an untranslated one names. */
  readonly translate: string;
  readonly open: (url: string) => Promise<Opened>;
}

/** It does not read the socket's folder from a URL, where the servers of these tests listen. */
function connect(url: string): postgres.Sql {
  const { hostname, port, searchParams, username, password, pathname } = new URL(url);
  const folder = searchParams.get('host');
  return postgres({
    ...(folder === null ? { host: hostname } : { path: `${folder}/.s.PGSQL.${port || 5432}` }),
    port: Number(port || 5432),
    user: decodeURIComponent(username),
    password: decodeURIComponent(password),
    database: pathname.slice(1),
    max: 2,
  });
}

const ADD = 'INSERT INTO orders VALUES ($1)';

function openDrizzle(db: ReturnType<typeof drizzlePg>, close: () => Promise<void>): Opened {
  return {
    transact: (order, body) =>
      db.transaction(async (tx) => {
        await tx.execute(drizzleSql`INSERT INTO orders VALUES (${order})`);
        await body(fromDrizzle(tx));
      }),
    // @ts-expect-error the database itself is no transaction
    outside: () => fromDrizzle(db),
    untranslated: (body) => db.transaction(body),
    close,
  };
}

const drizzle: Library = {
  name: 'drizzle-orm on pg',
  remedy: /`db\.transaction\(async \(tx\) => …\)`$/,
  translate: 'fromDrizzle',
  open: async (url) => {
    const pool = new pg.Pool({ connectionString: url });
    return openDrizzle(drizzlePg(pool), () => pool.end());
  },
};

const drizzleOnPostgresJs: Library = {
  ...drizzle,
  name: 'drizzle-orm on postgres',
  open: async (url) => {
    const sql = connect(url);
    const db = drizzlePostgresJs(sql);
    return {
      transact: (order, body) =>
        db.transaction(async (tx) => {
          await tx.execute(drizzleSql`INSERT INTO orders VALUES (${order})`);
          await body(fromDrizzle(tx));
        }),
      // @ts-expect-error the database itself is no transaction
      outside: () => fromDrizzle(db),
      untranslated: (body) => db.transaction(body),
      close: () => sql.end(),
    };
  },
};

const kysely: Library = {
  name: 'kysely',
  remedy: /`db\.transaction\(\)\.execute\(async \(trx\) => …\)`$/,
  translate: 'fromKysely',
  open: async (url) => {
    const pool = new pg.Pool({ connectionString: url });
    const db = new Kysely<{ orders: { id: number } }>({ dialect: new PostgresDialect({ pool }) });
    return {
      transact: (order, body) =>
        db.transaction().execute(async (trx) => {
          await kyselySql`INSERT INTO orders VALUES (${order})`.execute(trx);
          await body(fromKysely(trx));
        }),
      // @ts-expect-error the database itself is no transaction
      outside: () => fromKysely(db),
      untranslated: (body) => db.transaction().execute(body),
      close: () => db.destroy(),
    };
  },
};

const postgresJs: Library = {
  name: 'postgres',
  remedy: /the inner `sql` of `sql\.begin\(async \(sql\) => …\)`$/,
  translate: 'fromPostgresJs',
  open: async (url) => {
    const db = connect(url);
    return {
      transact: async (order, body) => {
        await db.begin(async (sql) => {
          await sql`INSERT INTO orders VALUES (${order})`;
          await body(fromPostgresJs(sql));
        });
      },
      // @ts-expect-error the connections themselves are no transaction
      outside: () => fromPostgresJs(db),
      untranslated: (body) => db.begin(body),
      close: () => db.end(),
    };
  },
};

const reserved: Library = {
  ...postgresJs,
  name: 'postgres, a reserved connection',
  open: async (url) => {
    const db = connect(url);
    const within = async (body: (sql: postgres.ReservedSql) => Promise<void>): Promise<void> => {
      const sql = await db.reserve();
      await sql`BEGIN`;
      try {
        await body(sql);
        await sql`COMMIT`;
      } catch (error) {
        await sql`ROLLBACK`;
        throw error;
      } finally {
        sql.release();
      }
    };
    return {
      transact: (order, body) =>
        within(async (sql) => {
          await sql`INSERT INTO orders VALUES (${order})`;
          await body(fromPostgresJs(sql));
        }),
      // @ts-expect-error the connections themselves are no transaction
      outside: () => fromPostgresJs(db),
      untranslated: within,
      close: () => db.end(),
    };
  },
};

async function openTypeOrm(url: string): Promise<DataSource> {
  return new DataSource({ type: 'postgres', url }).initialize();
}

const typeOrm: Library = {
  name: 'typeorm',
  remedy: /`dataSource\.transaction\(async \(manager\) => …\)`, or a query runner after/,
  translate: 'fromTypeOrm',
  open: async (url) => {
    const source = await openTypeOrm(url);
    return {
      transact: (order, body) =>
        source.transaction(async (manager) => {
          await manager.query(ADD, [order]);
          await body(fromTypeOrm(manager));
        }),
      outside: () => fromTypeOrm(source.manager),
      untranslated: (body) => source.transaction(body),
      close: () => source.destroy(),
    };
  },
};

const queryRunner: Library = {
  ...typeOrm,
  name: 'typeorm, a query runner',
  open: async (url) => {
    const source = await openTypeOrm(url);
    const runner = source.createQueryRunner();
    const within = async (body: () => Promise<void>): Promise<void> => {
      await runner.startTransaction();
      try {
        await body();
        await runner.commitTransaction();
      } catch (error) {
        await runner.rollbackTransaction();
        throw error;
      }
    };
    return {
      transact: (order, body) =>
        within(async () => {
          await runner.query(ADD, [order]);
          await body(fromTypeOrm(runner));
        }),
      outside: () => fromTypeOrm(runner),
      untranslated: (body) => within(() => body(runner)),
      close: async () => {
        await runner.release();
        await source.destroy();
      },
    };
  },
};

const prisma: Library = {
  name: '@prisma/client',
  remedy: /`prisma\.\$transaction\(async \(tx\) => …\)`$/,
  translate: 'fromPrisma',
  open: async (url) => {
    const client = openPrisma(url);
    return {
      transact: (order, body) =>
        client.$transaction(async (tx) => {
          await tx.$queryRawUnsafe(ADD, order);
          await body(fromPrisma(tx));
        }),
      // @ts-expect-error the client itself is no transaction
      outside: () => fromPrisma(client),
      untranslated: (body) => client.$transaction(body),
      close: () => client.$disconnect(),
    };
  },
};

export const libraries: readonly Library[] = [
  drizzle,
  drizzleOnPostgresJs,
  kysely,
  postgresJs,
  reserved,
  typeOrm,
  queryRunner,
  prisma,
];
