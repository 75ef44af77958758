// A store that can be made wrong: the memory store's verbs over tables without a guard.
import type { Job } from '../../src/core/job.ts';
import { accessIn } from '../../src/store/memory/access-key.ts';
import { applyMoves } from '../../src/store/memory/apply.ts';
import {
  commitArtifacts,
  listArtifacts,
  removeArtifacts,
} from '../../src/store/memory/artifact.ts';
import { claimJobs } from '../../src/store/memory/claim.ts';
import { insertJobs } from '../../src/store/memory/insert.ts';
import {
  listDeadLetters,
  listEvents,
  listJobs,
  readTail,
  tallyJobs,
} from '../../src/store/memory/queries.ts';
import { putType } from '../../src/store/memory/registry.ts';
import { renewLeases } from '../../src/store/memory/renew.ts';
import {
  dueSchedules,
  fireSchedule,
  listFires,
  listSchedules,
  overdueJobs,
  putSchedule,
  removeSchedule,
} from '../../src/store/memory/schedule.ts';
import { expiredJobs, letDueIn } from '../../src/store/memory/sweep.ts';
import { keyOf, type MemoryOptions, type Row, Tables } from '../../src/store/memory/tables.ts';
import type { ClaimRequest } from '../../src/store/claim.ts';
import type { NewJob } from '../../src/store/insert.ts';
import type { Move } from '../../src/store/move.ts';
import type { Renewal } from '../../src/store/renew.ts';
import { eraseJob, purge } from '../../src/store/memory/retention.ts';
import { standingOf } from '../../src/store/memory/standing.ts';
import { depthOf, listValves, putValve } from '../../src/store/memory/valve.ts';
import type { Store } from '../../src/store/store.ts';
import type { OpenStore } from '../support/world.ts';

/** What goes wrong: each member may change what is asked, or the tables themselves, beforehand. */
export interface Bug {
  readonly insert?: (tables: Tables, job: NewJob) => NewJob;
  readonly beforeClaim?: (tables: Tables, request: ClaimRequest) => void;
  readonly apply?: (tables: Tables, move: Move) => Move;
  readonly renew?: (tables: Tables, renewal: Renewal) => Renewal;
  readonly expired?: (tables: Tables) => Job[];
  /** Whether the log forgets the event with this number. */
  readonly forgets?: (number: number) => boolean;
}

class UnguardedTables extends Tables {
  override change(before: Row, after: Row): Row {
    const isNewVersion = after.job.version !== before.job.version;
    const row = { ...after, notes: isNewVersion ? 0 : after.notes };
    this.jobs.set(keyOf(row.job.tenant, row.job.id), row);
    return row;
  }
}

/** Writes a job's row past every rule. */
export function overwrite(tables: Tables, row: Row, edit: Partial<Job>, isOpen = row.isOpen): void {
  const { tenant, id } = row.job;
  tables.jobs.set(keyOf(tenant, id), { ...row, isOpen, job: { ...row.job, ...edit } });
}

export function openPlanted(bug: Bug): OpenStore {
  return async (options) => plantedStore(options, bug);
}

function plantedStore(options: MemoryOptions, bug: Bug): Store {
  const tables = new UnguardedTables(options);
  if (bug.forgets !== undefined) forgetEvents(tables, bug.forgets);
  const answer = async <Answer>(verb: () => Answer): Promise<Answer> =>
    tables.journal.transaction(verb);
  return {
    access: accessIn((body) => answer(() => body(tables))),
    insert: (jobs) =>
      answer(() =>
        insertJobs(
          tables,
          jobs.map((job) => bug.insert?.(tables, job) ?? job),
        ),
      ),
    claim: (request) =>
      answer(() => {
        bug.beforeClaim?.(tables, request);
        return claimJobs(tables, request);
      }),
    apply: (moves) =>
      answer(() =>
        moves.flatMap((move) => applyMoves(tables, [bug.apply?.(tables, move) ?? move])),
      ),
    renew: (renewals) =>
      answer(() =>
        renewals.flatMap((one) => renewLeases(tables, [bug.renew?.(tables, one) ?? one])),
      ),
    due: (limit) => answer(() => letDueIn(tables, limit)),
    expired: (limit) => answer(() => bug.expired?.(tables) ?? expiredJobs(tables, limit)),
    read: (refs) => answer(() => refs.map((ref) => tables.rowOf(ref)?.job ?? null)),
    list: (query) => answer(() => listJobs(tables, query)),
    stages: (ref) => answer(() => [...(tables.stages.get(keyOf(ref.tenant, ref.id)) ?? [])]),
    events: (query) => answer(() => listEvents(tables, query)),
    tail: (query) => answer(() => readTail(tables, query)),
    standing: (ref) => answer(() => standingOf(tables, ref)),
    purge: (cuts) => answer(() => purge(tables, cuts)),
    erase: (ref, actor) => answer(() => eraseJob(tables, ref, actor)),
    putValve: (change) => answer(() => putValve(tables, change)),
    depth: (ref, max) => answer(() => depthOf(tables, ref, max)),
    valves: (tenant) => answer(() => listValves(tables, tenant)),
    tally: (tenant) => answer(() => tallyJobs(tables, tenant)),
    deadLetters: (filter) => answer(() => listDeadLetters(tables, filter)),
    commitArtifacts: (commits) => answer(() => commitArtifacts(tables, commits)),
    artifacts: (query) => answer(() => listArtifacts(tables, query)),
    removeArtifacts: (removal) => answer(() => removeArtifacts(tables, removal)),
    putSchedule: (put) => answer(() => putSchedule(tables, put)),
    removeSchedule: (ref) => answer(() => removeSchedule(tables, ref)),
    schedules: (query) => answer(() => listSchedules(tables, query)),
    dueSchedules: (limit) => answer(() => dueSchedules(tables, limit)),
    fire: (fire) => answer(() => fireSchedule(tables, fire)),
    fires: (query) => answer(() => listFires(tables, query)),
    overdue: (places, limit) => answer(() => overdueJobs(tables, places, limit)),
    putType: (tenant, type, entry) => answer(() => putType(tables, [tenant, type], entry)),
    types: (tenant) =>
      answer(() => tables.types.values().filter((record) => record.tenant === tenant)),
    policies: (numbers) => answer(() => numbers.map((number) => tables.policyOf(number))),
    now: () => answer(() => tables.clock.now()),
    close: async () => undefined,
  };
}

function forgetEvents({ log }: Tables, forgets: (number: number) => boolean): void {
  const append = log.append.bind(log);
  let written = 0;
  log.append = (event) => {
    if (event.note > 0 || !forgets(++written)) append(event);
  };
}
