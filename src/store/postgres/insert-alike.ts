import type { Instant } from '../../core/clock.ts';
import { samePlace } from '../../core/lifecycle.ts';
import type { NewJob } from '../insert.ts';
import type { Session } from './session.ts';

/** Fewer are not worth another kind of statement. */
const ALIKE_MIN = 2;

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
  'actor',
] as const satisfies readonly (keyof NewJob)[];

/** True of jobs that differ in what is their own only, and have nothing to meet but a taken id. */
export function areAlike(session: Session, jobs: readonly NewJob[]): boolean {
  const [first] = jobs;
  if (first === undefined || jobs.length < ALIKE_MIN) return false;
  if (session.names.isLimited(first.policy)) return false;
  return jobs.every((job) => isLike(first, job));
}

function isLike(first: NewJob, job: NewJob): boolean {
  if (job.idempotency !== null || job.unique !== undefined || job.replayOf !== null) return false;
  for (const name of COMMON) if (job[name] !== first[name]) return false;
  const { places } = first;
  return (
    job.places.length === places.length &&
    job.places.every((place, index) => samePlace(place, places[index]!))
  );
}

/** The set in one statement, `common` being what its first job is on the wire. */
export async function insertAlike(
  session: Session,
  jobs: readonly NewJob[],
  { common, waitMs }: { common: Readonly<Record<string, unknown>>; waitMs: number },
): Promise<Instant> {
  const values = [
    JSON.stringify({ ...common, id: undefined, input: undefined }),
    `{${jobs.map(({ id }) => id).join(',')}}`,
    `[${jobs.map(({ input }) => input).join(',')}]`,
    textsOf(jobs.map(({ correlationId }) => correlationId)),
    textsOf(jobs.map(({ documentId }) => documentId)),
    waitMs,
    session.now(),
  ];
  const [row] = await session.database.write<{ at: Instant }>(
    'SELECT pawl.insert_alike_v1($1, $2, $3, $4, $5, $6, $7) AS at',
    values,
  );
  return row!.at;
}

function textsOf(texts: readonly (string | null)[]): readonly (string | null)[] | null {
  return texts.every((text) => text === null) ? null : texts;
}
