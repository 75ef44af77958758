// A program that hands its database to every handler: it merges a member into `Context`.
import { type Context, declareJob, defineJob, type RunContext, typed } from 'pawl';

interface Database {
  count(table: string): Promise<number>;
}

declare module 'pawl' {
  interface Context {
    readonly db: Database;
  }
}

export const counting = defineJob('counting', {
  input: typed<{ table: string }>(),
  async run({ db, input, stage }) {
    const rows: number = await stage('count', () => db.count(input.table));
    // @ts-expect-error a member that nobody merged in
    return { rows, cache: (context: Context) => context.cache };
  },
  compensate: ({ db, input }) => db.count(input.input.table),
});

export const tidying = declareJob('tidying').handle({ run: ({ db }) => db.count('old') });

/** Helpers have it by the same name. */
export function tables({ db }: RunContext<unknown>): Promise<number> {
  return db.count('tables');
}
