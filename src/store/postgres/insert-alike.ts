import type { Instant } from '../../core/clock.ts';
import { samePlace } from '../../core/lifecycle.ts';
import type { NewJob } from '../insert.ts';
import type { Session } from './session.ts';

/** What jobs of one set have in common; each has its own id, input, correlation and document. */
const COMMON = [
  'tenant',
  'type',
  'queue',
  'lifecycle',
  'lifecycleVersion',
  'policy',
  'maxAttempts',
  'priority',
  'runAt',
  'deadlineAt',
  'metadata',
  'traceId',
  'requestedBy',
  'parentJobId',
  'limitKey',
  'parentKind',
  'actor',
] as const satisfies readonly (keyof NewJob)[];

/** True of jobs that differ in what is their own only, and have nothing to meet but a taken id. */
export function areAlike(session: Session, jobs: readonly NewJob[]): boolean {
  const [first] = jobs;
  if (first === undefined) return false;
  if (session.names.isLimited(first.policy)) return false;
  return jobs.every((job) => isLike(first, job));
}

function isLike(first: NewJob, job: NewJob): boolean {
  if (job.idempotency !== null || job.unique !== undefined) return false;
  for (const name of COMMON) if (job[name] !== first[name]) return false;
  const { places } = first;
  return (
    job.places.length === places.length &&
    job.places.every((place, index) => samePlace(place, places[index]!))
  );
}

const QUIETLY = 'SELECT pawl.insert_alike_v1($1, $2, $3, $4, $5, $6, $7) AS at';
const TOLD = `SELECT pawl.insert_alike_v1($1, $2, $3, $4, $5, $6, $7) AS at, pg_notify($8, $9)`;

export interface AlikeOptions {
  /** What the first of them is on the wire. */
  readonly common: Readonly<Record<string, unknown>>;
  readonly waitMs: number;
  /** Types to tell workers of with the same commit; null: somebody else does. */
  readonly news: readonly string[] | null;
}

/** The set in one statement. */
export async function insertAlike(
  session: Session,
  jobs: readonly NewJob[],
  { common, waitMs, news }: AlikeOptions,
): Promise<Instant> {
  const values: unknown[] = [
    JSON.stringify({ ...common, id: undefined, input: undefined }),
    `{${jobs.map(({ id }) => id).join(',')}}`,
    `[${jobs.map(({ input }) => input).join(',')}]`,
    textsOf(jobs.map(({ correlationId }) => correlationId)),
    textsOf(jobs.map(({ documentId }) => documentId)),
    waitMs,
    session.now(),
  ];
  const sql = news === null ? QUIETLY : TOLD;
  if (news !== null) values.push(...session.bell.words(news));
  const [row] = await session.database.write<{ at: Instant }>(sql, values);
  return row!.at;
}

function textsOf(texts: readonly (string | null)[]): readonly (string | null)[] | null {
  return texts.every((text) => text === null) ? null : texts;
}
