import type { Feature } from './feature-collection.ts';

export type ColumnType = 'INTEGER' | 'REAL' | 'BOOLEAN' | 'TEXT';

/** A property of features as a column of a table. */
export interface Column {
  readonly property: string;
  readonly name: string;
  readonly type: ColumnType;
}

/** A column for each property; names that a table cannot have twice are numbered. */
export function columnsOf(features: readonly Feature[], taken: readonly string[]): Column[] {
  const types = new Map<string, ColumnType | null>();
  for (const { properties } of features) {
    for (const [property, value] of Object.entries(properties)) {
      const type = typeOf(value);
      const known = types.get(property) ?? null;
      types.set(property, known === null ? type : type === null ? known : both(known, type));
    }
  }
  const names = new Set(taken.map((one) => one.toLowerCase()));
  return [...types].map(([property, type]) => {
    const name = freeName(property === '' ? 'property' : property, names);
    names.add(name.toLowerCase());
    return { property, name, type: type ?? 'TEXT' };
  });
}

/** A name that is not taken; tables do not tell names apart by their case. */
export function freeName(wish: string, taken: ReadonlySet<string>): string {
  let name = wish;
  for (let number = 2; taken.has(name.toLowerCase()); number++) name = `${wish}_${number}`;
  return name;
}

function typeOf(value: unknown): ColumnType | null {
  if (value === null || value === undefined) return null;
  if (typeof value === 'boolean') return 'BOOLEAN';
  if (typeof value === 'number') return Number.isSafeInteger(value) ? 'INTEGER' : 'REAL';
  return 'TEXT';
}

function both(one: ColumnType, other: ColumnType): ColumnType {
  if (one === other) return one;
  const isNumber = (type: ColumnType): boolean => type === 'INTEGER' || type === 'REAL';
  return isNumber(one) && isNumber(other) ? 'REAL' : 'TEXT';
}

/** A property's value as its column holds it; what is no plain value is JSON. */
export function columnValue(value: unknown, type: ColumnType): string | number | null {
  if (value === null || value === undefined) return null;
  if (typeof value === 'boolean' && type === 'BOOLEAN') return value ? 1 : 0;
  if (type !== 'TEXT') return value as number;
  return typeof value === 'string' ? value : JSON.stringify(value);
}
