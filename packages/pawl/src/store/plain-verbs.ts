import type { PlainVerbs } from './store.ts';

export type PlainVerb = keyof PlainVerbs;

/** A function for every plain verb: of what the store works with, and of what the verb takes. */
export type VerbTable<On> = {
  readonly [Name in PlainVerb]: (
    on: On,
    ...args: Parameters<PlainVerbs[Name]>
  ) => ReturnType<PlainVerbs[Name]> | Awaited<ReturnType<PlainVerbs[Name]>>;
};

type Run<On> = (on: On, ...args: readonly unknown[]) => unknown;

/** The function of a verb, for arguments that were checked where the verb was called. */
export function bodyOf<On>(table: VerbTable<On>, verb: PlainVerb): Run<On> {
  return table[verb] as Run<On>;
}

/** A plain object to the runtime: a class that extends it gets its methods by `defineVerbs`. */
export const WithPlainVerbs = Object as unknown as new () => PlainVerbs;

/** Gives a class of stores a method for every row of its table. */
export function defineVerbs<Of extends PlainVerbs>(
  prototype: Of,
  table: VerbTable<never>,
  run: (store: Of, verb: PlainVerb, args: readonly unknown[]) => Promise<unknown>,
): void {
  for (const verb of Object.keys(table) as PlainVerb[]) {
    const value = function method(this: Of, ...args: unknown[]): Promise<unknown> {
      return run(this, verb, args);
    };
    Object.defineProperty(prototype, verb, { value, writable: true, configurable: true });
  }
}
