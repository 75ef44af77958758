import type { Job } from '../../core/job.ts';
import { isTerminal, rankOf } from '../../core/phase.ts';
import type { JobPage, JobQuery } from '../query.ts';
import {
  batchOf,
  CODE_MARKS,
  folded,
  insideJson,
  isFound,
  isSearch,
  SEARCH_WINDOW,
  unmarked,
} from '../search.ts';
import { Conditions } from './conditions.ts';
import { canExist } from './read.ts';
import { columnOfTag } from './record-row.ts';
import { type JobRow, toJobs } from './row.ts';
import type { Session } from './session.ts';

/** A table that has just filled up looks small to the planner, and small ones are read whole. */
const WALKING = ['enable_seqscan', 'enable_bitmapscan', 'enable_sort', 'jit']
  .map((name) => `SET LOCAL ${name} = off`)
  .join('; ');

/** Which of the tables a page is read from. */
type Source = 'live' | 'ended' | 'all';

interface Place {
  readonly session: Session;
  readonly tenant: number;
  readonly source: Source;
}

function sourceOf({ phase }: JobQuery): Source {
  if (phase === undefined) return 'all';
  return isTerminal(phase) ? 'ended' : 'live';
}

/** What an index leads to: a search has its window over these. */
function indexed(tenant: number, query: JobQuery, tables: string): Conditions {
  const conditions = new Conditions()
    .add('f.tenant = ?', tenant)
    .add('f.document_id = ?', query.documentId)
    .add('f.correlation_id = ?', query.correlationId)
    .add('f.parent_job_id = ?::uuid', query.parentJobId);
  if (query.key === undefined) return conditions;
  return conditions.addAll(`f.id = ANY (ARRAY(${ofKey(tables)}))`, [
    tenant,
    query.key,
    tenant,
    query.key,
    tenant,
  ]);
}

/** Type and mode lead the index of unique keys, so both are named. */
function ofKey(tables: string): string {
  return `SELECT k.id FROM ${tables}.idempotency_keys k WHERE k.tenant = ?::int AND k.key = ?::text
    UNION ALL SELECT u.id FROM ${tables}.unique_keys u WHERE u.tenant = ?::int AND u.key = ?::text
      AND u.mode = ANY (ARRAY['throttle', 'debounce', 'replace'])
      AND u.type IN (SELECT l.type FROM ${tables}.lanes l WHERE l.tenant = ?::int)`;
}

async function filtered({ session, tenant }: Place, query: JobQuery): Promise<Conditions> {
  const { names, database } = session;
  const conditions = indexed(tenant, query, database.tables).add(
    'j.phase = ?',
    query.phase === undefined ? undefined : rankOf(query.phase),
  );
  if (query.state !== undefined) {
    const states = names.statesNamed(query.state);
    conditions.addAll('(j.lifecycle, j.state) IN (SELECT * FROM unnest(?::int[], ?::int2[]))', [
      states.map(({ lifecycle }) => lifecycle),
      states.map(({ state }) => state),
    ]);
  }
  const lanes = `f.lane IN (SELECT l.number FROM ${database.tables}.lanes l
    WHERE l.tenant = f.tenant`;
  conditions.add(`${lanes} AND l.type = ?)`, query.type);
  conditions.add(`${lanes} AND l.queue = ?)`, query.queue);
  return conditions;
}

/** In this collation letters beyond ASCII keep their case, as they do in the other stores. */
const SAID = `lower(concat_ws(chr(31), n.type, n.queue, y.states[j.state], d.stage, d.message,
  f.document_id, f.correlation_id, f.requested_by, d.error::text, f.metadata::text) COLLATE "C")`;

const UNMARKED_TYPE = `translate(lower(n.type COLLATE "C"), '${CODE_MARKS.join('')}', '')`;

/**
 * Lets through what may match; the job itself decides. JSON is compared as text, since some that
 * can be stored cannot be taken apart by the database.
 */
function addSearch(conditions: Conditions, query: JobQuery, tables: string): void {
  const { createdFrom, createdTo, text, error, record, seenBy } = query;
  const instant = `timestamptz 'epoch' + ?::int8 * interval '1 ms'`;
  conditions.add(`f.created_at >= ${instant}`, createdFrom);
  conditions.add(`f.created_at < ${instant}`, createdTo);
  if (text !== undefined) {
    const needles = [...new Set([folded(text), folded(insideJson(text))])];
    const either = needles.map(() => `position(?::text IN ${SAID}) > 0`).join(' OR ');
    conditions.addAll(`(${either})`, needles);
  }
  if (error !== undefined) {
    const said = 'position(?::text IN lower(d.error::text COLLATE "C")) > 0';
    const either = `${said} OR position(${UNMARKED_TYPE} IN ?::text) = 1`;
    conditions.addAll(`d.error IS NOT NULL AND (${either})`, [
      folded(insideJson(error)),
      unmarked(error),
    ]);
  }
  if (record !== undefined) {
    const { sql, values } = hasRecord(query.tenant, record, tables);
    conditions.addAll(sql, values);
  }
  if (seenBy !== undefined) {
    const shares = seenBy.shares.map((share) => hasRecord(query.tenant, share, tables));
    const either = ['f.requested_by = ?::text', ...shares.map(({ sql }) => sql)].join(' OR ');
    const values = [seenBy.principal, ...shares.flatMap((share) => share.values)];
    conditions.addAll(`(${either})`, values);
  }
}

function hasRecord(
  tenant: string,
  { kind, tags = {} }: NonNullable<JobQuery['record']>,
  tables: string,
): { sql: string; values: string[] } {
  const tagged = Object.keys(tags).map((tag) => ` AND r.${columnOfTag(kind, tag)} = ?::text`);
  return {
    sql: `EXISTS (SELECT FROM ${tables}.records r WHERE r.job_id = f.id::text AND r.kind = ?::text
        AND r.tenant = ?::text${tagged.join('')})`,
    values: [kind.name, tenant, ...Object.values(tags)],
  };
}

/** Both places of a table, those with ids outside the partitions too. */
function both(tables: string, name: 'facts' | 'ended', columns: string): string {
  return `(SELECT ${columns} FROM ${tables}.${name}
    UNION ALL SELECT ${columns} FROM ${tables}.${name}_other)`;
}

const FACTS = `id, tenant, lane, created_at, document_id, correlation_id, requested_by,
  parent_job_id, metadata`;
const STANDS = 'id, tenant, lifecycle, state, phase';

function fromOf({ session, source }: Place, needsTexts: boolean): string {
  const { tables } = session.database;
  const live = `SELECT ${STANDS} FROM ${tables}.live`;
  const ended = both(tables, 'ended', STANDS);
  const stands = {
    live: `(${live})`,
    ended,
    all: `(${live} UNION ALL SELECT * FROM ${ended} e)`,
  };
  const texts = `JOIN ${tables}.lanes n ON n.number = f.lane
    JOIN ${tables}.lifecycles y ON y.number = j.lifecycle
    LEFT JOIN ${tables}.details d ON d.id = f.id AND d.tenant = f.tenant`;
  return `FROM ${both(tables, 'facts', FACTS)} f
    JOIN ${stands[source]} j ON j.id = f.id AND j.tenant = f.tenant ${needsTexts ? texts : ''}`;
}

/** The last id of the window; null where there are fewer jobs than that. */
async function windowEnd({ session, tenant }: Place, query: JobQuery): Promise<string | null> {
  const { database } = session;
  const conditions = indexed(tenant, query, database.tables).add('f.id < ?::uuid', query.before);
  const [row] = await database.readAs<{ readonly id: string }>(
    tenant,
    `SELECT f.id FROM ${both(database.tables, 'facts', FACTS)} f WHERE ${conditions.sql}
     ORDER BY f.id DESC LIMIT 1 OFFSET ${Math.trunc(query.window ?? SEARCH_WINDOW) - 1}`,
    { values: conditions.values, before: WALKING },
  );
  return row?.id ?? null;
}

interface Part {
  readonly conditions: Conditions;
  readonly before: string | undefined;
  readonly limit: number;
  readonly isSearch: boolean;
}

async function jobsBefore(place: Place, part: Part): Promise<Job[]> {
  const { session, tenant } = place;
  const { database, names } = session;
  const { sql: where, values } = part.conditions.with('f.id < ?::uuid', part.before);
  const from = fromOf(place, part.isSearch);
  const found = await database.readAs<{ id: string }>(
    tenant,
    `SELECT f.id ${from} WHERE ${where} ORDER BY f.id DESC LIMIT ${Math.trunc(part.limit)}`,
    { values, before: WALKING },
  );
  if (found.length === 0) return [];
  const ids = found.map(({ id }) => id);
  const rows = await database.askAs<JobRow>(tenant, 'read_jobs', [[tenant], ids.toReversed()]);
  const jobs = new Map((await toJobs(rows, names)).map((job) => [job.id, job]));
  return ids.flatMap((id) => jobs.get(id) ?? []);
}

export async function listJobs(session: Session, query: JobQuery): Promise<JobPage> {
  const tenant = await session.tenantOf(query.tenant);
  if (tenant === null || !canExist(query.parentJobId)) return { jobs: [], hasMore: false };
  const place = { session, tenant, source: sourceOf(query) };
  const conditions = await filtered(place, query);
  // Before the rows: what comes in meanwhile is newer, and nothing between is left out.
  const isSearching = isSearch(query);
  const end = isSearching ? await windowEnd(place, query) : null;
  if (end !== null) conditions.add('f.id >= ?::uuid', end);
  addSearch(conditions, query, session.database.tables);
  const jobs: Job[] = [];
  const limit = batchOf(query);
  let { before } = query;
  for (let isLast = false; !isLast && jobs.length <= query.limit;) {
    const part = { conditions, before, limit, isSearch: isSearching };
    const found = await jobsBefore(place, part);
    jobs.push(...found.filter((job) => isFound(job, query)));
    before = found.at(-1)?.id;
    isLast = found.length < limit;
  }
  if (jobs.length > query.limit) return { jobs: jobs.slice(0, query.limit), hasMore: true };
  return end === null ? { jobs, hasMore: false } : { jobs, hasMore: true, searchedTo: end };
}
