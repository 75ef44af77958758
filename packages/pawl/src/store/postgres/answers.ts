import type { ClientBase, CustomTypesConfig } from 'pg';

const NUMBERS: ReadonlySet<number> = new Set([21, 23, 26, 700, 701]);
const INT8 = 20;
const BOOLEAN = 16;

/** Numbers of 64 bits are exact up to 2^53; tokens and marks are asked for as text. */
function parserOf(oid: number): (text: string) => unknown {
  if (NUMBERS.has(oid) || oid === INT8) return Number;
  return oid === BOOLEAN ? (text) => text === 't' : (text) => text;
}

/** Our own parsers: the caller's may be others, and a payload must stay the text that it is. */
export const TYPES: CustomTypesConfig = {
  getTypeParser: parserOf as CustomTypesConfig['getTypeParser'],
};

/** A statement; one with a name is kept by the session. */
export interface Asked {
  readonly name?: string | undefined;
  readonly text: string;
  readonly values: readonly unknown[];
}

/** Rows of one statement on a connection that somebody else holds. */
export function rowsOf<Row>(
  client: ClientBase,
  text: string,
  values: readonly unknown[] = [],
): Promise<Row[]> {
  return answerTo<Row>(client, { text, values });
}

export async function answerTo<Row>(
  client: ClientBase,
  { name, text, values }: Asked,
): Promise<Row[]> {
  const named = name === undefined ? {} : { name };
  return (await client.query({ ...named, text, values: [...values], types: TYPES })).rows as Row[];
}

export async function listsFor(
  client: ClientBase,
  { name, text, values }: Asked,
): Promise<unknown[][]> {
  const asked = { text, values: [...values], types: TYPES, rowMode: 'array' as const };
  return (await client.query(name === undefined ? asked : { ...asked, name })).rows;
}
