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
import { bytesIfAny, Conditions } from './query.ts';
import { JOB_COLUMNS, type JobRow, jobOfRow, uuidOfBytes } from './row.ts';
import { columnOfTag } from './record-row.ts';
import { uuidText } from './schema.ts';
import type { Work } from './work.ts';

/** What an index leads to: a search has its window over these. */
function indexed({ registry }: Work, query: JobQuery): Conditions {
  const conditions = new Conditions();
  conditions.add('tenant_id = ?', registry.findTenant(query.tenant));
  conditions.add('correlation_id = ?', query.correlationId);
  conditions.add('document_id = ?', query.documentId);
  conditions.add('parent_job_id = ?', bytesIfAny(query.parentJobId));
  return conditions;
}

function filtered(work: Work, query: JobQuery): Conditions {
  const conditions = indexed(work, query);
  conditions.add('type = ?', query.type);
  conditions.add('state = ?', query.state);
  conditions.add('queue = ?', query.queue);
  const rank = query.phase === undefined ? undefined : rankOf(query.phase);
  conditions.add('phase = ?', rank);
  // SQLite uses the index of bad ends only where it reads the index's own condition, and should
  // not where the jobs of one document, correlation or parent are fewer still.
  if (rank !== undefined && rank > 5 && !isNarrow(query)) conditions.texts.push('phase > 5');
  return conditions;
}

function isNarrow({ correlationId, documentId, parentJobId }: JobQuery): boolean {
  return [correlationId, documentId, parentJobId].some((value) => value !== undefined);
}

const SAID = `lower(concat_ws(char(31), type, queue, state, stage, message, document_id,
  correlation_id, requested_by, error, metadata))`;

const UNMARKED_TYPE = CODE_MARKS.reduce(
  (text, mark) => `replace(${text}, '${mark}', '')`,
  'lower(type)',
);

/** Lets through what may match; the job itself decides. */
function addSearch(conditions: Conditions, query: JobQuery): void {
  const { createdFrom, createdTo, text, error, record } = query;
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
    const tags = Object.entries(record.tags ?? {});
    const isTagged = tags.map(([tag]) => ` AND r.${columnOfTag(record.kind, tag)} = ?`).join('');
    const values = [query.tenant, record.kind.name, ...tags.map(([, value]) => value)];
    conditions.addAll(
      `EXISTS (SELECT 1 FROM records r WHERE r.job_id = ${uuidText('jobs.id')}
        AND r.tenant = ? AND r.kind = ?${isTagged})`,
      values,
    );
  }
}

/** The last id of the window; null where there are fewer jobs than that. */
function windowEnd(work: Work, query: JobQuery): string | null {
  const conditions = indexed(work, query);
  conditions.add('id < ?', bytesIfAny(query.before));
  const row = work.connection
    .sql(`SELECT id FROM jobs WHERE ${conditions.where} ORDER BY id DESC LIMIT 1 OFFSET ?`)
    .get(...conditions.values, (query.window ?? SEARCH_WINDOW) - 1);
  return row === undefined ? null : uuidOfBytes(row['id'] as Uint8Array);
}

export function listJobs(work: Work, query: JobQuery): JobPage {
  const { connection, registry } = work;
  const conditions = filtered(work, query);
  const end = isSearch(query) ? windowEnd(work, query) : null;
  if (end !== null) conditions.add('id >= ?', bytesIfAny(end));
  addSearch(conditions, query);
  const jobs: JobPage['jobs'][number][] = [];
  const batch = batchOf(query);
  let before = query.before;
  for (let isLast = false; !isLast && jobs.length <= query.limit;) {
    const page = conditions.with('id < ?', bytesIfAny(before));
    const rows = connection
      .sql(`SELECT ${JOB_COLUMNS} FROM jobs WHERE ${page.where} ORDER BY id DESC LIMIT ?`)
      .all(...page.values, batch) as JobRow[];
    const found = rows.map((row) => jobOfRow(registry, row));
    jobs.push(...found.filter((job) => isFound(job, query)));
    before = found.at(-1)?.id;
    isLast = rows.length < batch;
  }
  if (jobs.length > query.limit) return { jobs: jobs.slice(0, query.limit), hasMore: true };
  return end === null ? { jobs, hasMore: false } : { jobs, hasMore: true, searchedTo: end };
}
