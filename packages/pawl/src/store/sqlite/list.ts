import { isTerminal, type Phase, rankOf } from '../../core/phase.ts';
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
import { lanesNamed } from './counts.ts';
import { columnOfTag } from './record-row.ts';
import { jobOf, type JobRow } from './row.ts';
import { bytesToFind, uuidOfBytes } from './uuid-bytes.ts';
import type { Work } from './work.ts';

/** What an index leads to: a search has its window over these. */
function indexed({ names }: Work, query: JobQuery, tenant = 'tenant'): Conditions {
  const conditions = new Conditions();
  conditions.add(`${tenant} = ?`, names.findTenant(query.tenant));
  conditions.add('correlation_id = ?', query.correlationId);
  conditions.add('document_id = ?', query.documentId);
  conditions.add('parent_job_id = ?', bytesIfAny(query.parentJobId));
  if (query.key !== undefined) {
    const number = names.findTenant(query.tenant);
    conditions.addAll(`id IN (${OF_KEY})`, [number, query.key, number, number, query.key]);
  }
  return conditions;
}

/** Type and mode lead the index of unique keys, so both are named. */
const OF_KEY = `SELECT k.id FROM idempotency_keys k WHERE k.tenant = ? AND k.key = ?
  UNION ALL SELECT u.id FROM unique_keys u WHERE u.tenant = ?
    AND u.type IN (SELECT n.type FROM lanes n WHERE n.tenant = ?)
    AND u.mode IN ('throttle', 'debounce', 'replace') AND u.key = ?`;

function filtered(work: Work, query: JobQuery, column: string): Conditions {
  const conditions = indexed(work, query, column);
  const { type, queue, state, phase } = query;
  const tenant = work.names.findTenant(query.tenant);
  if (tenant !== null && (type !== undefined || queue !== undefined)) {
    const lanes = lanesNamed(work, tenant, query);
    conditions.add('lane IN (SELECT value FROM json_each(?))', lanes);
  }
  if (state !== undefined) {
    const codes = work.names.statesNamed(state).map((one) => `${one.lifecycle}/${one.state}`);
    const isOne = `lifecycle || '/' || state IN (SELECT value FROM json_each(?))`;
    conditions.add(isOne, JSON.stringify(codes));
  }
  if (phase !== undefined) addPhase(conditions, query, phase);
  return conditions;
}

/** Live jobs are found without a look at the ended ones. */
function addPhase(conditions: Conditions, query: JobQuery, phase: Phase): void {
  if (isListedByEnd(query)) conditions.add('end_phase = ?', rankOf(phase));
  else conditions.add(isTerminal(phase) ? 'phase = ?' : 'live_phase = ?', rankOf(phase));
}

/** Bad ends have an index of their own, unless those of one document are fewer still. */
function isListedByEnd({ phase, correlationId, documentId, parentJobId }: JobQuery): boolean {
  const isBad = phase !== undefined && rankOf(phase) > rankOf('succeeded');
  return isBad && [correlationId, documentId, parentJobId].every((value) => value === undefined);
}

const BY_ID = { from: 'job', tenant: 'tenant', id: 'id' } as const;
const BY_END = {
  from: `(SELECT key AS end_key, tenant AS end_tenant, phase AS end_phase, id AS end_id FROM ended
    WHERE phase > 5) CROSS JOIN job ON job.key = end_key`,
  tenant: 'end_tenant',
  id: 'end_id',
} as const;

const SAID = `lower(concat_ws(char(31), (SELECT n.type FROM lanes n WHERE n.number = lane),
  (SELECT n.queue FROM lanes n WHERE n.number = lane),
  (SELECT y.states ->> (state - 1) FROM lifecycles y WHERE y.number = lifecycle), stage, message,
  document_id, correlation_id, requested_by, error, metadata))`;

const UNMARKED_TYPE = CODE_MARKS.reduce(
  (text, mark) => `replace(${text}, '${mark}', '')`,
  'lower((SELECT n.type FROM lanes n WHERE n.number = lane))',
);

/** Lets through what may match; the job itself decides. */
function addSearch(conditions: Conditions, query: JobQuery): void {
  const { createdFrom, createdTo, text, error, record, seenBy } = query;
  conditions.add('created_at >= ?', createdFrom);
  conditions.add('created_at < ?', createdTo);
  if (text !== undefined) {
    const needles = [...new Set([folded(text), folded(insideJson(text))])];
    const either = needles.map(() => `instr(${SAID}, ?) > 0`).join(' OR ');
    conditions.addAll(`(${either})`, needles);
  }
  if (error !== undefined) {
    const either = `instr(lower(error), ?) > 0 OR instr(?, ${UNMARKED_TYPE}) = 1`;
    conditions.addAll(`error IS NOT NULL AND (${either})`, [
      folded(insideJson(error)),
      unmarked(error),
    ]);
  }
  if (record !== undefined) {
    const { sql, values } = hasRecord(query.tenant, record);
    conditions.addAll(sql, values);
  }
  if (seenBy !== undefined) {
    const shares = seenBy.shares.map((share) => hasRecord(query.tenant, share));
    const either = ['requested_by = ?', ...shares.map(({ sql }) => sql)].join(' OR ');
    const values = [seenBy.principal, ...shares.flatMap((share) => share.values)];
    conditions.addAll(`(${either})`, values);
  }
}

function hasRecord(
  tenant: string,
  { kind, tags = {} }: NonNullable<JobQuery['record']>,
): { sql: string; values: string[] } {
  const isTagged = Object.keys(tags).map((tag) => ` AND r.${columnOfTag(kind, tag)} = ?`);
  return {
    sql: `EXISTS (SELECT 1 FROM records r WHERE r.job_id = (
          SELECT i.id FROM job_ids i WHERE i.key = job.key)
        AND r.tenant = ? AND r.kind = ?${isTagged.join('')})`,
    values: [tenant, kind.name, ...Object.values(tags)],
  };
}

/** The last id of the window; null where there are fewer jobs than that. */
function windowEnd(work: Work, query: JobQuery): string | null {
  const conditions = indexed(work, query);
  conditions.add('id < ?', bytesIfAny(query.before));
  const row = work.connection
    .text(`SELECT id FROM facts WHERE ${conditions.where} ORDER BY id DESC LIMIT 1 OFFSET ?`)
    .get(...conditions.values, (query.window ?? SEARCH_WINDOW) - 1);
  return row === undefined ? null : uuidOfBytes(row['id'] as Uint8Array);
}

export function listJobs(work: Work, query: JobQuery): JobPage {
  const { connection, names } = work;
  const { from, id, tenant } = isListedByEnd(query) ? BY_END : BY_ID;
  const conditions = filtered(work, query, tenant);
  const end = isSearch(query) ? windowEnd(work, query) : null;
  if (end !== null) conditions.add(`${id} >= ?`, bytesIfAny(end));
  addSearch(conditions, query);
  const jobs: JobPage['jobs'][number][] = [];
  const batch = batchOf(query);
  let before = query.before;
  for (let isLast = false; !isLast && jobs.length <= query.limit;) {
    const page = conditions.with(`${id} < ?`, bytesIfAny(before));
    const rows = connection
      .textLists(`SELECT job.* FROM ${from} WHERE ${page.where} ORDER BY ${id} DESC LIMIT ?`)
      .all(...page.values, batch) as unknown as JobRow[];
    const found = rows.map((row) => jobOf(names, row));
    jobs.push(...found.filter((job) => isFound(job, query)));
    before = found.at(-1)?.id;
    isLast = rows.length < batch;
  }
  if (jobs.length > query.limit) return { jobs: jobs.slice(0, query.limit), hasMore: true };
  return end === null ? { jobs, hasMore: false } : { jobs, hasMore: true, searchedTo: end };
}

function bytesIfAny(id: string | undefined): Uint8Array | null | undefined {
  return id === undefined ? undefined : bytesToFind(id);
}
