import { invalid } from '../core/errors.ts';
import type { SqlTransaction } from '../store/transaction.ts';

/**
 * An open transaction of your own PostgreSQL client: a `pg` client after BEGIN, or the result of a
 * function of `pawl/tx` for another library.
 */
export interface Transaction {
  query(text: string, values: unknown[]): Promise<unknown>;
}

/** Members that pools have and clients have not. */
const POOL_MARKS = ['totalCount', 'idleCount', 'waitingCount'] as const;

/** What is another library's, by a member that a `pg` client has not, and what makes it fit. */
const OTHERS: readonly (readonly [mark: string, translate: string])[] = [
  ['$queryRawUnsafe', 'fromPrisma'],
  ['executeQuery', 'fromKysely'],
  ['unsafe', 'fromPostgresJs'],
  ['queryRunner', 'fromTypeOrm'],
  ['createQueryRunner', 'fromTypeOrm'],
  ['isTransactionActive', 'fromTypeOrm'],
  ['execute', 'fromDrizzle'],
];

/** The transaction as the store uses it, if it can be one. */
export function transactionOf(tx: unknown): SqlTransaction {
  const isPlainObject = (typeof tx === 'object' && tx !== null) || typeof tx === 'function';
  const given = (isPlainObject ? tx : {}) as Partial<Transaction>;
  const other = OTHERS.find(([mark]) => mark in given);
  if (other !== undefined) {
    const message = `must be given as \`${other[1]}(tx)\`, a function of \`pawl/tx\``;
    throw refusal(`${message}: the value given is not a \`pg\` client`);
  }
  if (typeof given.query !== 'function') {
    throw refusal('must be a `pg` client in a transaction, or what `pawl/tx` makes of another one');
  }
  if (POOL_MARKS.some((mark) => mark in given)) {
    const message =
      'must be one client, not a pool: each query of a pool may go to another connection, ' +
      'outside your transaction; take one with `pool.connect()`';
    throw refusal(message);
  }
  return {
    query: async (text, values) => {
      try {
        return await given.query!(text, [...values]);
      } catch (error) {
        throw explained(error);
      }
    },
  };
}

function refusal(message: string): Error {
  return invalid([{ pointer: '/tx', message }]);
}

/** No such schema, no such function; and by our own word, another installation. */
const ELSEWHERE: ReadonlySet<string> = new Set(['3F000', '42883', 'PW007']);

/** What another database answers is said in words; everything else is the driver's own error. */
function explained(error: unknown): unknown {
  if (![...sqlStatesIn(error)].some((state) => ELSEWHERE.has(state))) return error;
  const message =
    'must be a transaction of the database that this Pawl has open, in its schema: this one is ' +
    'of another';
  return Object.assign(refusal(message), { cause: error });
}

const NESTED = ['cause', 'driverError', 'originalError', 'meta', 'driverAdapterError'] as const;
const STATES = ['code', 'sqlState', 'originalCode'] as const;
const DEPTH_MAX = 5;

/** Libraries wrap the server's error each in their own way. */
function* sqlStatesIn(error: unknown, depth = 0): Generator<string> {
  if (typeof error !== 'object' || error === null || depth > DEPTH_MAX) return;
  const members = error as Readonly<Record<string, unknown>>;
  for (const name of STATES) if (typeof members[name] === 'string') yield members[name];
  for (const name of NESTED) yield* sqlStatesIn(members[name], depth + 1);
}
