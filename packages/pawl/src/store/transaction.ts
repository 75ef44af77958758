/**
 * A transaction that a caller has begun on a connection of its own. `query` runs one statement in
 * it and resolves with its rows, or with an object that has them as `rows`.
 */
export interface SqlTransaction {
  query(text: string, values: readonly unknown[]): Promise<unknown>;
}

/** The rows of an answer in either form. */
export function rowsIn(answer: unknown): readonly Readonly<Record<string, unknown>>[] {
  const { rows = answer } = answer as { readonly rows?: unknown };
  return rows as readonly Readonly<Record<string, unknown>>[];
}
