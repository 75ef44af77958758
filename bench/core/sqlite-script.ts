import type { SQLInputValue, StatementSync } from 'node:sqlite';
import { builtInLifecycles } from '../../src/lifecycles/built-in.ts';
import type { Connection } from '../../src/store/sqlite/connection.ts';
import { SqliteStore } from '../../src/store/sqlite/store.ts';
import { Writer } from '../../src/store/sqlite/writer.ts';
import { engineContender, playOnce } from './engine-contender.ts';

/** What differs from one job, and one call, to the next. */
export interface Given {
  readonly id: Uint8Array;
  readonly seq: number;
  readonly now: number;
  readonly max: number;
}

type Method = 'run' | 'get' | 'all';

/** How the connection was asked: for rows as objects, or as lists of their values. */
type Way = 'sql' | 'lists';

export interface Statement {
  readonly way: Way;
  readonly text: string;
  readonly method: Method;
  valuesFor(given: Given): SQLInputValue[];
}

/** What the store says to the database for one verb: once a call, and for every job in it. */
export interface Script {
  readonly once: readonly Statement[];
  readonly each: readonly Statement[];
  /** The line of the feed, and what one job adds to it. */
  readonly feed: string;
  refsFor(seq: number): string;
}

export interface LifeScript {
  readonly insert: Script;
  readonly claim: Script;
  readonly complete: Script;
}

interface Said {
  readonly way: Way;
  readonly text: string;
  readonly method: Method;
  readonly values: readonly SQLInputValue[];
}

/** Numbers that mean nothing else, so that they are found again among the values. */
const SEQ = 987_654_322;
const NOW = 2_000_000_000_000;
const MAX = 777;
const NOW_SPAN_MS = 1_000_000_000;

/**
 * Listens to the store while one job goes through its life. The bare loop can then say the very
 * same, whatever the store's statements have become. The database is of no use afterwards.
 */
export async function recordLife(path: string): Promise<LifeScript> {
  const writer = new Writer({ path, lifecycles: builtInLifecycles, synchronous: 'full' });
  const store = new SqliteStore(
    {
      pending: 0,
      ask: async (call) => {
        const answer = writer.run([call])[0]!;
        if ('failure' in answer) throw new Error(answer.failure.message);
        return answer.value;
      },
      close: async () => writer.close(),
    },
    { now: () => NOW },
  );
  const one = await engineContender(store, { label: 'recorded', rows: 0 });
  await playOnce(one);
  const { connection } = writer.tools;
  connection.db.exec(`UPDATE sqlite_sequence SET seq = ${SEQ - 1} WHERE name = 'jobs'`);
  const said = listen(connection);
  await (
    await one.enqueue(1)
  )();
  const insert = scriptOf(said.splice(0));
  const holding = await one.claim(MAX);
  const claim = scriptOf(said.splice(0));
  for (const complete of await holding.completions(1)) await complete();
  const script = { insert, claim, complete: scriptOf(said.splice(0)) };
  await one.close();
  return script;
}

function listen(connection: Connection): Said[] {
  const said: Said[] = [];
  for (const way of ['sql', 'lists'] as const) {
    const prepare = connection[way].bind(connection);
    connection[way] = (text) =>
      new Proxy(prepare(text), {
        get: (statement, name: keyof StatementSync) => {
          const method = statement[name] as (...values: SQLInputValue[]) => unknown;
          return (...values: SQLInputValue[]): unknown => {
            said.push({ way, text, method: name as Method, values });
            return method.apply(statement, values);
          };
        },
      });
  }
  return said;
}

const FRAME = /^(BEGIN|COMMIT|SAVEPOINT|RELEASE|PRAGMA)/;
const FEED = /^INSERT INTO feed/;

function scriptOf(all: readonly Said[]): Script {
  const line = all.find(({ text }) => FEED.test(text));
  if (line === undefined) throw new Error('the store wrote no line of the feed');
  const refs = line.values.at(-1) as string;
  const said = all.filter(({ text }) => !FRAME.test(text) && !FEED.test(text));
  return {
    once: said.filter((one) => !isOfJob(one)).map(statementOf),
    each: said.filter(isOfJob).map(statementOf),
    feed: line.text,
    refsFor: (seq) => refs.replaceAll(String(SEQ), String(seq)),
  };
}

function isOfJob({ values }: Said): boolean {
  return values.some((value) => value === SEQ || isId(value));
}

function isId(value: SQLInputValue): boolean {
  return value instanceof Uint8Array && value.length === 16;
}

function statementOf({ way, text, method, values }: Said): Statement {
  const fillers = values.map(fillerOf);
  return { way, text, method, valuesFor: (given) => fillers.map((fill) => fill(given)) };
}

function fillerOf(value: SQLInputValue): (given: Given) => SQLInputValue {
  if (isId(value)) return ({ id }) => id;
  if (value === SEQ) return ({ seq }) => seq;
  if (value === MAX) return ({ max }) => max;
  if (typeof value === 'number' && value >= NOW && value < NOW + NOW_SPAN_MS) {
    return ({ now }) => now + (value - NOW);
  }
  return () => value;
}
