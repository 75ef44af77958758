// What must hold after a race, whoever came first.
import { inspect } from 'node:util';
import type { Client } from 'pg';
import { checkJob } from '../../../src/check/check-job.ts';
import type { Job } from '../../../src/core/job.ts';
import type { MoveOutcome } from '../../../src/store/move.ts';
import type { Ground, Stand } from './ground.ts';
import type { Told } from './session.ts';

/** Deadlocks and locks that were not waited for take a transaction back as a whole. */
const GIVEN_UP: ReadonlySet<string> = new Set(['40P01', '55P03', '25P02']);

/** True of an error that a store meets by doing the statement again. */
export function isGivenUp({ error }: Told): boolean {
  if (error === null) return false;
  const { code, cause } = error as { code?: string; cause?: { code?: string } };
  return GIVEN_UP.has(code ?? '') || GIVEN_UP.has(cause?.code ?? '');
}

export async function judge(
  { store, watcher }: Ground,
  { scene, running, ended }: Stand,
  { told, isForgotten }: { told: readonly Told[]; isForgotten: boolean },
): Promise<string[]> {
  const { jobs } = await store.list({ tenant: scene.tenant, limit: 100 });
  const found: string[] = [];
  for (const one of told) {
    if (one.error !== null && !isGivenUp(one)) found.push(`failed: ${inspect(one.error)}`);
  }
  for (const job of jobs) found.push(...(await violationsOf(scene, job)));
  found.push(...(await store.maintenance.quickCheck()));
  found.push(...keysOf(jobs), ...claimsOf(told));
  if (!isForgotten) found.push(...(await tailOf(scene, jobs)));
  const ends = told.filter(({ answer }) => hasMoved(answer, running)).length;
  const [left] = await store.read([running]);
  if (left && left.version < running.version) found.push('a version has fallen');
  if (told.some(({ answer }) => hasErased(answer))) found.push(...(await leftOf(watcher, ended)));
  if (ends > 2) found.push(`${ends} sessions moved one job from one place`);
  return found;
}

async function violationsOf(scene: Scene, job: Job): Promise<string[]> {
  const events = await scene.events(job);
  const lifecycle = scene.lifecycle(job.lifecycle);
  const [policy = null] = await scene.store.policies([job.policy]);
  const found = checkJob(job, events, { lifecycle, policy, areNotesKept: false });
  return found.map(({ invariant, message }) => `${invariant} ${job.id}: ${message}`);
}

type Scene = Stand['scene'];

/** A key makes one job, a document has one that has not ended, a limit of one lets one run. */
function keysOf(jobs: readonly Job[]): string[] {
  const owned = jobs.filter(({ owner, type }) => owner !== null && type === 'limited');
  const ofDocument = jobs.filter(({ documentId, completedAt }) => documentId && !completedAt);
  const found: string[] = [];
  if (owned.length > 1) found.push(`${owned.length} jobs run under a limit of one`);
  if (ofDocument.length > 1) found.push(`${ofDocument.length} jobs of one document`);
  return found;
}

/** Whose claims name a request. */
export const REPEATER = 'w4';

/** No job is handed to two sessions. */
function claimsOf(told: readonly Told[]): string[] {
  const ids = told.flatMap(({ answer }) => claimedIn(answer));
  const twice = ids.filter((id, index) => ids.indexOf(id) !== index);
  return twice.map((id) => `job ${id} was claimed by two`);
}

function claimedIn(answer: unknown): string[] {
  const list: unknown = Array.isArray(answer)
    ? answer
    : ((answer as { claimed?: unknown[] } | null)?.claimed ?? []);
  return (list as { job?: Job; token?: string }[]).flatMap(({ job }) =>
    // A claim that is repeated is answered with what it has won already.
    job === undefined || job.owner === REPEATER ? [] : [`${job.id} ${job.epoch} ${job.owner}`],
  );
}

function hasMoved(answer: unknown, { version }: Job): boolean {
  if (!Array.isArray(answer)) return false;
  return (answer as MoveOutcome[]).some((one) => one.kind === 'moved' && one.version > version);
}

function hasErased(answer: unknown): boolean {
  return Array.isArray(answer) && (answer as object[]).some((row) => 'erased' in row);
}

/** What the job said and can still be read somewhere, though it was erased. */
async function leftOf(watcher: Client, { id }: Job): Promise<string[]> {
  const { rows } = await watcher.query<{ place: string }>(
    `SELECT 'log_texts' AS place FROM pawl.log_texts WHERE id = $1 AND payload::text LIKE $2
     UNION ALL SELECT 'log_texts_carried' FROM pawl.log_texts_carried
       WHERE id = $1 AND payload::text LIKE $2
     UNION ALL SELECT 'facts' FROM pawl.facts WHERE id = $1 AND input::text <> 'null'
     UNION ALL SELECT 'facts_other' FROM pawl.facts_other WHERE id = $1 AND input::text <> 'null'`,
    [id, '%it said no%'],
  );
  return rows.map(({ place }) => `${place} still has what was erased`);
}

/** The tail tells every event of every job once, and those of one job in order. */
async function tailOf(scene: Scene, jobs: readonly Job[]): Promise<string[]> {
  const seen = new Map<string, number>();
  const found: string[] = [];
  for (let from: 'start' | { cursor: string } = 'start'; ;) {
    const page = await scene.store.tail({ tenant: scene.tenant, from, limit: 500 });
    for (const { event } of page.items) {
      if (event.note > 0) continue;
      const before = seen.get(event.jobId) ?? 0;
      if (event.version !== before + 1) found.push(`the tail has a gap at ${event.jobId}`);
      seen.set(event.jobId, event.version);
    }
    if (page.items.length === 0) break;
    from = { cursor: page.cursor };
  }
  for (const { id, version } of jobs) {
    const told = seen.get(id) ?? 0;
    if (told !== version) found.push(`the tail tells ${told} of ${version} events of ${id}`);
  }
  return found;
}
