// The release after this one, as far as a database can tell: what it adds, and what it calls.
import pg from 'pg';
import { type Migration, MIGRATIONS } from 'pawl/internal/store/postgres/migrations';

const KNOWN = Math.max(...MIGRATIONS.map(({ version }) => version));

/** The claim of the next release, in a schema of its own: it also writes down a colour. */
const CLAIM = `CREATE FUNCTION pawl_verbs_2.claim(p_owner int, p_actor text, p_types text[],
  p_max int, p_tenants int[], p_queues text[], p_key int8, p_token int8, p_turn int, p_hints json,
  p_revisions json, p_now float8)
RETURNS TABLE (id uuid, tenant int, created_at int8, input json, metadata json,
  labels pawl_verbs_1.job_labels, head json)
LANGUAGE plpgsql AS $$
#variable_conflict use_column
BEGIN
  RETURN QUERY WITH c AS MATERIALIZED (
    SELECT * FROM pawl_verbs_1.claim(p_owner, p_actor, p_types, p_max, p_tenants, p_queues, p_key,
      p_token, p_turn, p_hints, p_revisions, p_now)),
  n AS (INSERT INTO pawl.colours SELECT c.id, 'blue' FROM c WHERE c.id IS NOT NULL)
  SELECT * FROM c;
END $$`;

/** Adds a table and a column, a verb that writes it, and an index of the table in use. */
export const EXPANSION: readonly Migration[] = [
  {
    version: KNOWN + 1,
    name: 'colours',
    statements: [
      'CREATE TABLE colours (id uuid, colour text)',
      'ALTER TABLE live ADD COLUMN colour text',
      'CREATE SCHEMA IF NOT EXISTS pawl_verbs_2',
      CLAIM,
    ],
  },
  {
    version: KNOWN + 2,
    name: 'look-ups by colour',
    indexes: [{ name: 'live_colour', on: 'live (tenant, colour) WHERE colour IS NOT NULL' }],
  },
];

/** One release later: what nobody calls any more goes, and code that would call it is refused. */
export const CONTRACTION: Migration = {
  version: KNOWN + 3,
  name: 'no look at who owns what',
  statements: ['DROP FUNCTION pawl_verbs_1.owned(text[], int, int)'],
  floor: KNOWN + 2,
};

/** This release's connection, but for the one verb that the next release has of its own. */
class NextClient extends pg.Client {
  override query: pg.Client['query'] = ((config: unknown, ...rest: unknown[]) => {
    const query = super.query.bind(this) as (...args: unknown[]) => unknown;
    if (typeof config !== 'object' || config === null || !('text' in config)) {
      return query(config, ...rest);
    }
    const text = String(config.text).replace('"pawl_verbs_1".claim(', 'pawl_verbs_2.claim(');
    return query({ ...config, text }, ...rest);
  }) as pg.Client['query'];
}

export function nextReleasePool(url: string): pg.Pool {
  return new pg.Pool({ connectionString: url, max: 4, Client: NextClient });
}
