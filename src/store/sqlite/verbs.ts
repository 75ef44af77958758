import type { Instant } from '../../core/clock.ts';
import type { AccessStore } from '../access-key.ts';
import type { CareStore } from '../care.ts';
import type { ControlStore } from '../control.ts';
import type { FollowerStore } from '../cursor.ts';
import type { MeasureStore } from '../measure.ts';
import type { Store } from '../store.ts';
import type { WebhookStore } from '../webhook.ts';
import type { WorkerRegistry } from '../worker-registry.ts';
import {
  addAudit,
  listAccessKeys,
  listAudit,
  touchAccessKeys,
  writeAccessKey,
} from './access-key.ts';
import { applyMoves } from './apply.ts';
import { commitArtifacts, listArtifacts, removeArtifacts } from './artifact.ts';
import { listStrays, listTenants, quickCheck, readFigures } from './care.ts';
import { claimJobs } from './claim.ts';
import { changeThrottle, listAiling, trimTurns, trimRates } from './control.ts';
import { listFollowers, moveFollower, removeFollower, takeFollower } from './cursor.ts';
import type { Failure } from './failure.ts';
import { insertJobs } from './insert.ts';
import { listJobs } from './list.ts';
import { addEnds, endsReadTo, sumEnds, vitalsOf } from './measure.ts';
import { putPolicy } from './policy.ts';
import { listDeadLetters, readJobs, readStages } from './query.ts';
import { renewLeases } from './renew.ts';
import { purge } from './retention.ts';
import { eraseJob } from './retention-erase.ts';
import {
  dueSchedules,
  fireSchedule,
  listFires,
  listSchedules,
  overdueJobs,
  putSchedule,
  removeSchedule,
} from './schedule.ts';
import { standingOf } from './standing.ts';
import { incarnationOf, listEvents, readTail } from './stream.ts';
import { expiredJobs, letDueIn } from './sweep.ts';
import { tallyJobs } from './tally.ts';
import { listTypes, putType } from './type-record.ts';
import { depthOf, listValves, putValve } from './valve.ts';
import { listWebhooks, writeWebhook } from './webhook.ts';
import type { Work } from './work.ts';
import { beatWorkers, listWorkers } from './worker-registry.ts';

type Apart = 'access' | 'webhooks' | 'control' | 'roster' | 'followers' | 'measures' | 'care';
type Verbs = Omit<Store, 'now' | 'close' | 'bell' | 'within' | Apart> &
  AccessStore &
  ControlStore &
  WorkerRegistry &
  WebhookStore &
  FollowerStore &
  MeasureStore &
  Omit<CareStore, 'isCurrent'>;
export type Verb = keyof Verbs;
export type ArgsOf<Name extends Verb> = Parameters<Verbs[Name]>;
export type AnswerOf<Name extends Verb> = Awaited<ReturnType<Verbs[Name]>>;

type Bodies = { [Name in Verb]: (work: Work, ...args: ArgsOf<Name>) => AnswerOf<Name> };

/** Every verb of the port as the synchronous code that does it, in either thread or in none. */
const BODIES: Bodies = {
  insert: insertJobs,
  claim: claimJobs,
  apply: applyMoves,
  renew: renewLeases,
  due: letDueIn,
  expired: expiredJobs,
  read: readJobs,
  list: listJobs,
  stages: readStages,
  events: listEvents,
  tail: readTail,
  incarnation: incarnationOf,
  tally: tallyJobs,
  deadLetters: listDeadLetters,
  commitArtifacts,
  artifacts: listArtifacts,
  removeArtifacts,
  putSchedule,
  removeSchedule,
  schedules: listSchedules,
  dueSchedules,
  fire: fireSchedule,
  fires: listFires,
  overdue: overdueJobs,
  standing: standingOf,
  purge,
  erase: eraseJob,
  putValve,
  valves: listValves,
  depth: depthOf,
  ailing: listAiling,
  throttle: changeThrottle,
  trimTurns,
  trimRates,
  writeAccessKey,
  accessKeys: listAccessKeys,
  touchAccessKeys,
  addAudit,
  audit: listAudit,
  addEnds,
  endsReadTo,
  ends: sumEnds,
  vitals: vitalsOf,
  tenants: listTenants,
  figures: readFigures,
  strays: listStrays,
  quickCheck,
  beatWorkers,
  workers: listWorkers,
  writeWebhook,
  webhooks: listWebhooks,
  takeFollower,
  moveFollower,
  listFollowers,
  removeFollower,
  putType: (work, tenant, type, entry) => putType(work, [tenant, type], entry),
  types: listTypes,
  putPolicy,
  policies: ({ registry }, numbers) => numbers.map((number) => registry.policy(number)),
};

const WRITES: ReadonlySet<Verb> = new Set([
  'insert',
  'claim',
  'apply',
  'renew',
  'due',
  'commitArtifacts',
  'removeArtifacts',
  'putSchedule',
  'removeSchedule',
  'fire',
  'purge',
  'erase',
  'putValve',
  'throttle',
  'trimTurns',
  'trimRates',
  'writeAccessKey',
  'touchAccessKeys',
  'addAudit',
  'addEnds',
  'beatWorkers',
  'writeWebhook',
  'putType',
  'putPolicy',
  'takeFollower',
  'moveFollower',
  'removeFollower',
]);

export function isWrite(verb: Verb): boolean {
  return WRITES.has(verb);
}

/** A verb asked for. `now` is null where the clock of whoever does it counts. */
export interface Call {
  readonly verb: Verb;
  readonly args: readonly unknown[];
  readonly now: Instant | null;
}

export type Answer = { readonly value: unknown } | { readonly failure: Failure };

export function perform(work: Work, { verb, args }: Call): unknown {
  const body = BODIES[verb] as (work: Work, ...args: readonly unknown[]) => unknown;
  return body(work, ...args);
}
