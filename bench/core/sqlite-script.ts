import type { SQLInputValue, StatementSync } from 'node:sqlite';
import { builtInLifecycles } from '../../src/lifecycles/built-in.ts';
import type { Connection } from '../../src/store/sqlite/connection.ts';
import { uuidOfBytes } from '../../src/store/sqlite/row.ts';
import { SqliteStore } from '../../src/store/sqlite/store.ts';
import { Writer } from '../../src/store/sqlite/writer.ts';
import { engineContender, playOnce } from './engine-contender.ts';

/** A job as the database knows it; its number is 0 until it has one. */
export interface Job {
  readonly id: Uint8Array;
  readonly seq: number;
}

/** What differs from one call to the next. */
export interface Given {
  readonly jobs: readonly Job[];
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
  /** Whom it is about: nobody, all jobs of the call together, or each of them by itself. */
  readonly about: 'none' | 'all' | 'each';
  valuesFor(given: Given): SQLInputValue[];
}

/** What the store says to the database for one verb, in its order. */
export interface Script {
  readonly statements: readonly Statement[];
  /** The line of the feed, and what one job adds to it. */
  readonly feed: string;
  refsFor(seq: number): string;
}

export interface LifeScript {
  /** By how many jobs it writes, the most first: the store has statements for several sizes. */
  readonly insert: ReadonlyMap<number, Script>;
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
const FIRST_SEQ = 987_654_322;
const NOW = 2_000_000_000_000;
const MAX = 777;
const NOW_SPAN_MS = 1_000_000_000;

const INSERT_SIZES = [64, 16, 4, 1];

/**
 * Listens to the store while jobs go through their life. The bare loop can then say the very
 * same, whatever the store's statements have become. The database is of no use afterwards.
 */
export async function recordLife(path: string): Promise<LifeScript> {
  const writer = new Writer({ path, lifecycles: builtInLifecycles, synchronous: 'full' });
  const one = await engineContender(storeOver(writer), { label: 'recorded', rows: 0 });
  await playOnce(one);
  const { connection } = writer.tools;
  connection.db.exec(`UPDATE sqlite_sequence SET seq = ${FIRST_SEQ - 1} WHERE name = 'jobs'`);
  const said = listen(connection);
  const enqueue = async (size: number): Promise<Said[]> => {
    await (
      await one.enqueue(size)
    )();
    return said.splice(0);
  };
  const insert = new Map<number, Script>();
  for (const size of INSERT_SIZES) {
    const all = await enqueue(size);
    insert.set(size, scriptOf(all, { jobs: newest(connection, size), isWhole: true }));
  }
  // As many as are asked for: a claim that finds fewer asks again.
  await enqueue(MAX - INSERT_SIZES.reduce((sum, size) => sum + size));
  const told = { jobs: newest(connection, MAX), isWhole: false };
  const holding = await one.claim(MAX);
  const claim = scriptOf(said.splice(0), told);
  for (const complete of await holding.completions(MAX)) await complete();
  const script = { insert, claim, complete: scriptOf(said.splice(0), told) };
  await one.close();
  return script;
}

function storeOver(writer: Writer): SqliteStore {
  return new SqliteStore(
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
}

/** Past the ear of who listens. */
function newest({ db }: Connection, count: number): Job[] {
  const rows = db.prepare('SELECT id, seq FROM jobs ORDER BY seq DESC LIMIT ?').all(count);
  return (rows as unknown as Job[]).toReversed();
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

/** The jobs that were recorded; whole, if it can be said again for just as many. */
interface Told {
  readonly jobs: readonly Job[];
  readonly isWhole: boolean;
}

function scriptOf(all: readonly Said[], told: Told): Script {
  const line = all.find(({ text }) => FEED.test(text));
  if (line === undefined) throw new Error('the store wrote no line of the feed');
  const { seq: first } = told.jobs[0]!;
  const refs = (line.values.at(-1) as string).match(/\d+,\d+,\d+/g) ?? [];
  const own = refs.filter((ref) => ref.startsWith(`${first},`)).join(',');
  const said = all.filter(({ text }) => !FRAME.test(text) && !FEED.test(text));
  return {
    statements: said.flatMap((one) => statementOf(one, told)),
    feed: line.text,
    refsFor: (seq) => own.replaceAll(String(first), String(seq)),
  };
}

/** What a value was made of: the moment, the number asked for, all jobs or the one of a place. */
type Filler = ((given: Given) => SQLInputValue) | Whole | { place: number };

type Whole = 'all seqs' | 'all ids' | 'first seq' | 'last seq';

/** Jobs in a row are named by two of them. */
const ROW_OF_JOBS = /seq BETWEEN \? AND \?$/;

/** Of statements for single jobs that of the first stands for all, unless the script is whole. */
function statementOf({ way, text, method, values }: Said, told: Told): Statement[] {
  const fillers = values.map((value) => fillerOf(value, told.jobs));
  if (ROW_OF_JOBS.test(text)) fillers.splice(-2, 2, 'first seq', 'last seq');
  const places = fillers.flatMap((filler) => (placeOf(filler) === null ? [] : [placeOf(filler)!]));
  if (!told.isWhole && places.some((place) => place > 0)) return [];
  const isOfAll = told.isWhole || fillers.some((filler) => typeof filler === 'string');
  const about = isOfAll ? 'all' : places.length > 0 ? 'each' : 'none';
  const valuesFor = (given: Given): SQLInputValue[] =>
    fillers.map((filler, at) => filled(filler, given, values[at]!));
  return [{ way, text, method, about, valuesFor }];
}

function placeOf(filler: Filler): number | null {
  return typeof filler === 'object' ? filler.place : null;
}

function fillerOf(value: SQLInputValue, jobs: readonly Job[]): Filler {
  if (value === MAX) return ({ max }) => max;
  if (value instanceof Uint8Array && value.length === 16) {
    return { place: jobs.findIndex(({ id }) => Buffer.compare(id, value) === 0) };
  }
  if (typeof value === 'string' && value.startsWith('[')) return listFiller(value, jobs[0]!);
  if (typeof value !== 'number') return () => value;
  const place = jobs.findIndex(({ seq }) => seq === value);
  if (place !== -1) return { place };
  if (value >= NOW && value < NOW + NOW_SPAN_MS) return ({ now }) => now + (value - NOW);
  return () => value;
}

function listFiller(value: string, { id, seq }: Job): Filler {
  const list = JSON.parse(value) as unknown[];
  if (list.includes(seq)) return 'all seqs';
  return list.includes(uuidOfBytes(id)) ? 'all ids' : () => value;
}

function filled(filler: Filler, given: Given, recorded: SQLInputValue): SQLInputValue {
  if (typeof filler === 'function') return filler(given);
  if (filler === 'all seqs') return `[${given.jobs.map(({ seq }) => seq).join(',')}]`;
  if (filler === 'all ids') return JSON.stringify(given.jobs.map(({ id }) => uuidOfBytes(id)));
  if (filler === 'first seq') return Math.min(...given.jobs.map(({ seq }) => seq));
  if (filler === 'last seq') return Math.max(...given.jobs.map(({ seq }) => seq));
  const { id, seq } = given.jobs[filler.place]!;
  return typeof recorded === 'number' ? seq : id;
}
