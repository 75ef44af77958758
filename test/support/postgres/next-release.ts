// The release after this one, as far as a database can tell: what it adds, and what it calls.
import pg from 'pg';
import { BRIEF_CLAIM } from '../../../src/store/postgres/claim-brief-function.ts';
import { type Migration, MIGRATIONS } from '../../../src/store/postgres/migrations.ts';

const KNOWN = Math.max(...MIGRATIONS.map(({ version }) => version));

const CLAIM_V5 = BRIEF_CLAIM.at(-1)!
  .replaceAll('claim_v4', 'claim_v5')
  .replace('UPDATE pawl.jobs j SET ', `UPDATE pawl.jobs j SET colour = 'blue', `);

/** Adds a column, a verb of a new version that writes it, and an index of the table in use. */
export const EXPANSION: readonly Migration[] = [
  {
    version: KNOWN + 1,
    name: 'colours',
    statements: ['ALTER TABLE pawl.jobs ADD COLUMN colour text', CLAIM_V5],
  },
  {
    version: KNOWN + 2,
    name: 'look-ups by colour',
    indexes: [
      { name: 'jobs_colour', on: 'pawl.jobs (tenant_id, colour) WHERE colour IS NOT NULL' },
    ],
  },
];

/** One release later: what nobody calls any more goes, and code that would call it is refused. */
export const CONTRACTION: Migration = {
  version: KNOWN + 3,
  name: 'no claims without colour',
  statements: [
    `DROP FUNCTION pawl.claim_v4(text, text, text[], int, int[], text[], text, int,
      double precision)`,
  ],
  floor: KNOWN + 2,
};

/** This release's connection, but for the one verb that the next release has a new version of. */
class NextClient extends pg.Client {
  override query: pg.Client['query'] = ((config: unknown, ...rest: unknown[]) => {
    const query = super.query.bind(this) as (...args: unknown[]) => unknown;
    if (typeof config !== 'object' || config === null || !('text' in config)) {
      return query(config, ...rest);
    }
    const text = String(config.text).replace('.claim_v4(', '.claim_v5(');
    return query({ ...config, text }, ...rest);
  }) as pg.Client['query'];
}

export function nextReleasePool(url: string): pg.Pool {
  return new pg.Pool({ connectionString: url, max: 4, Client: NextClient });
}
