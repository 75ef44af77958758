// Each library's own transaction as `tx` of `enqueue` takes it. The libraries are known by the
// shape of what they hand out alone, so that a program needs none that it does not use.
import { invalid } from '../core/errors.ts';
import type { SqlTransaction } from '../store/transaction.ts';

export type { SqlTransaction } from '../store/transaction.ts';

/** What `db.transaction(async (tx) => …)` of drizzle-orm hands out, on any driver of PostgreSQL. */
export interface DrizzleTransaction {
  execute(query: string): PromiseLike<unknown>;
  rollback(): never;
}

/** The `tx` of Drizzle's `db.transaction(async (tx) => …)`. */
export function fromDrizzle(tx: DrizzleTransaction): SqlTransaction {
  const isTransaction = isFunction(tx, 'execute') && isFunction(tx, 'rollback');
  if (!isTransaction) throw notOne('the `tx` of `db.transaction(async (tx) => …)`');
  return {
    query: async (sql, values) => {
      // As Drizzle's own `sql` would be, whose parameters have been numbered already.
      const query = { getSQL: () => query, toQuery: () => ({ sql, params: [...values] }) };
      return tx.execute(query as never);
    },
  };
}

/** What `db.transaction().execute(async (trx) => …)` of Kysely hands out. */
export interface KyselyTransaction {
  readonly isTransaction: true;
  executeQuery(query: KyselyQuery): Promise<{ readonly rows: readonly unknown[] }>;
}

interface KyselyQuery {
  readonly sql: string;
  readonly parameters: readonly unknown[];
  readonly query: {
    readonly kind: 'RawNode';
    readonly sqlFragments: readonly string[];
    readonly parameters: readonly never[];
  };
  readonly queryId: { readonly queryId: string };
}

/** The `trx` of Kysely's `db.transaction().execute(async (trx) => …)`. */
export function fromKysely(trx: KyselyTransaction): SqlTransaction {
  const isTransaction = isFunction(trx, 'executeQuery') && trx.isTransaction;
  if (!isTransaction) throw notOne('the `trx` of `db.transaction().execute(async (trx) => …)`');
  return {
    query: (sql, parameters) => {
      const query = { kind: 'RawNode', sqlFragments: [sql], parameters: [] } as const;
      return trx.executeQuery({ sql, parameters, query, queryId: { queryId: 'pawl' } });
    },
  };
}

/** What `prisma.$transaction(async (tx) => …)` hands out. */
export interface PrismaTransaction {
  $queryRawUnsafe(query: string, ...values: unknown[]): PromiseLike<unknown>;
  /** Only the client itself has it. */
  readonly $connect?: never;
}

/** The `tx` of Prisma's `prisma.$transaction(async (tx) => …)`. */
export function fromPrisma(tx: PrismaTransaction): SqlTransaction {
  const isTransaction = isFunction(tx, '$queryRawUnsafe') && !isFunction(tx, '$connect');
  if (!isTransaction) throw notOne('the `tx` of `prisma.$transaction(async (tx) => …)`');
  return { query: async (sql, values) => tx.$queryRawUnsafe(sql, ...values) };
}

/** What `sql.begin(async (sql) => …)` of postgres.js hands out, or `await sql.reserve()`. */
export type PostgresJsTransaction = {
  unsafe(query: string, parameters?: never[]): PromiseLike<unknown>;
} & ({ readonly savepoint: unknown } | { readonly release: unknown });

/** The `sql` of postgres.js' `sql.begin(async (sql) => …)`, or a reserved one after BEGIN. */
export function fromPostgresJs(sql: PostgresJsTransaction): SqlTransaction {
  const isTransaction =
    isFunction(sql, 'unsafe') && (isFunction(sql, 'savepoint') || isFunction(sql, 'release'));
  if (!isTransaction) throw notOne('the inner `sql` of `sql.begin(async (sql) => …)`');
  return { query: async (text, values) => sql.unsafe(text, [...values] as never[]) };
}

/** What `dataSource.transaction(async (manager) => …)` of TypeORM hands out, or a query runner. */
export interface TypeOrmTransaction {
  query(query: string, parameters?: unknown[]): Promise<unknown>;
  /** Of a manager. */
  readonly queryRunner?: { readonly isTransactionActive: boolean } | undefined;
  /** Of a query runner. */
  readonly isTransactionActive?: boolean;
}

/** The `manager` of TypeORM's `dataSource.transaction(async (manager) => …)`, or a query runner. */
export function fromTypeOrm(manager: TypeOrmTransaction): SqlTransaction {
  const isTransaction =
    isFunction(manager, 'query') &&
    (manager.isTransactionActive ?? manager.queryRunner?.isTransactionActive ?? false);
  if (!isTransaction) {
    throw notOne(
      'the `manager` of `dataSource.transaction(async (manager) => …)`, or a query runner after ' +
        '`startTransaction()`',
    );
  }
  return { query: async (sql, values) => manager.query(sql, [...values]) };
}

function isFunction(value: unknown, name: string): boolean {
  return typeof (value as Readonly<Record<string, unknown>> | null)?.[name] === 'function';
}

function notOne(expected: string): Error {
  const message =
    'must be a transaction: anything else may use another connection, and the job would not ' +
    `depend on your commit; give ${expected}`;
  return invalid([{ pointer: '/tx', message }]);
}
