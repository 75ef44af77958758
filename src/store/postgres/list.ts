import type { Job } from '../../core/job.ts';
import { rankOf } from '../../core/phase.ts';
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
import { canExist, Conditions, tenantOf } from './query.ts';
import { type JobRow, jobSelect } from './row.ts';
import { columnOfTag } from './record-row.ts';
import type { Session } from './session.ts';
import { fromMs } from './sql-text.ts';
import { toJobs } from './sweep.ts';

/** What an index leads to: a search has its window over these. */
function indexed(tenant: number, query: JobQuery): Conditions {
  return new Conditions()
    .add('j.tenant_id = ?', tenant)
    .add('j.document_id = ?', query.documentId)
    .add('j.correlation_id = ?', query.correlationId)
    .add('j.parent_job_id = ?::uuid', query.parentJobId);
}

function filtered(tenant: number, query: JobQuery): Conditions {
  return indexed(tenant, query)
    .add('j.type = ?', query.type)
    .add('j.state = ?', query.state)
    .add('j.phase = ?', query.phase === undefined ? undefined : rankOf(query.phase))
    .add('j.queue = ?', query.queue);
}

/** In this collation letters beyond ASCII keep their case, as they do in the other stores. */
const SAID = `lower(concat_ws(chr(31), j.type, j.queue, j.state, j.stage, j.message, j.document_id,
  j.correlation_id, j.requested_by, j.error::text, j.metadata::text) COLLATE "C")`;

const UNMARKED_TYPE = `translate(lower(j.type COLLATE "C"), '${CODE_MARKS.join('')}', '')`;

/**
 * Lets through what may match; the job itself decides. JSON is compared as text, since some that
 * can be stored cannot be taken apart by the database.
 */
function addSearch(conditions: Conditions, query: JobQuery): void {
  const { createdFrom, createdTo, text, error, record } = query;
  conditions.add(`j.created_at >= ${fromMs('?::int8')}`, createdFrom);
  conditions.add(`j.created_at < ${fromMs('?::int8')}`, createdTo);
  if (text !== undefined) {
    const needles = [...new Set([folded(text), folded(insideJson(text))])];
    const either = needles.map(() => `position(?::text IN ${SAID}) > 0`).join(' OR ');
    conditions.addAll(`(${either})`, needles);
  }
  if (error !== undefined) {
    const said = 'position(?::text IN lower(j.error::text COLLATE "C")) > 0';
    const either = `${said} OR position(${UNMARKED_TYPE} IN ?::text) = 1`;
    conditions.addAll(`j.error IS NOT NULL AND (${either})`, [
      folded(insideJson(error)),
      unmarked(error),
    ]);
  }
  if (record !== undefined) {
    const tags = Object.entries(record.tags ?? {});
    const isTagged = tags.map(([tag]) => ` AND r.${columnOfTag(record.kind, tag)} = ?`).join('');
    const values = [query.tenant, record.kind.name, ...tags.map(([, value]) => value)];
    conditions.addAll(
      `EXISTS (SELECT 1 FROM pawl.records r WHERE r.job_id = j.id::text
        AND r.tenant = ? AND r.kind = ?${isTagged})`,
      values,
    );
  }
}

interface Place {
  readonly session: Session;
  readonly tenant: number;
}

/** The last id of the window; null where there are fewer jobs than that. */
async function windowEnd({ session, tenant }: Place, query: JobQuery): Promise<string | null> {
  const conditions = indexed(tenant, query).add('j.id < ?::uuid', query.before);
  const [row] = await session.database.walkFor<{ readonly id: string }>(
    tenant,
    `SELECT j.id FROM pawl.jobs j WHERE ${conditions.sql}
     ORDER BY j.id DESC LIMIT 1 OFFSET ${Math.trunc(query.window ?? SEARCH_WINDOW) - 1}`,
    conditions.values,
  );
  return row?.id ?? null;
}

interface Part {
  readonly conditions: Conditions;
  readonly before: string | undefined;
  readonly limit: number;
  readonly isSearch: boolean;
}

async function jobsBefore({ session, tenant }: Place, part: Part): Promise<Job[]> {
  const { database } = session;
  const { sql: where, values } = part.conditions.with('j.id < ?::uuid', part.before);
  const sql = `SELECT ${jobSelect('j')} FROM pawl.jobs j WHERE ${where}
     ORDER BY j.id DESC LIMIT ${Math.trunc(part.limit)}`;
  const rows = part.isSearch
    ? await database.walkFor<JobRow>(tenant, sql, values)
    : await database.readFor<JobRow>(tenant, sql, values);
  return toJobs(session, rows);
}

export async function listJobs(session: Session, query: JobQuery): Promise<JobPage> {
  const tenant = await tenantOf(session, query.tenant);
  if (tenant === null || !canExist(query.parentJobId)) return { jobs: [], hasMore: false };
  const place = { session, tenant };
  const conditions = filtered(tenant, query);
  // Before the rows: what comes in meanwhile is newer, and nothing between is left out.
  const isSearching = isSearch(query);
  const end = isSearching ? await windowEnd(place, query) : null;
  if (end !== null) conditions.add('j.id >= ?::uuid', end);
  addSearch(conditions, query);
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
