import type { Instant } from '../../core/clock.ts';
import { canonicalJson } from '../../core/canonical-json.ts';
import { invalid, PawlError } from '../../core/errors.ts';
import { type Precondition, tagOf } from '../../core/precondition.ts';
import type { FireQuery, FireRecord, ScheduleRef } from '../../records/fires.ts';
import type { Schedule, ScheduleQuery } from '../../records/schedules.ts';
import type { EngineContext } from '../context.ts';
import { tellFired } from '../observer.ts';
import { checkName } from '../enqueue-request.ts';
import { refuseInput, takesInput } from '../stored-definition.ts';
import type { Caller } from '../enqueue.ts';
import {
  checkScheduleName,
  completeDefinition,
  type FullDefinition,
  type ScheduleDefinition,
} from './definition.ts';
import { draftFire } from './draft-fire.ts';
import { nextSlot, nextSlots } from './rule.ts';

/** A schedule with its definition read. */
export interface ScheduleView extends Omit<Schedule, 'definition'> {
  readonly definition: FullDefinition;
}

export function viewOf({ definition, ...rest }: Schedule): ScheduleView {
  return { ...rest, definition: JSON.parse(definition) as FullDefinition };
}

/** Races are lost to somebody else's progress, so a few rounds settle any of them. */
const ROUNDS_MAX = 8;

const NEXT_RUNS_MAX = 100;

type Change = Pick<ScheduleView, 'definition' | 'isPaused' | 'nextAt'>;

/** The use cases of schedules. The firing itself is a sweep. */
export class Schedules {
  readonly #context: EngineContext;

  constructor(context: EngineContext) {
    this.#context = context;
  }

  /**
   * Makes a schedule, or changes it. Under the same rule it goes on where it stands. With `isNew`
   * one that is there already is refused, unless it is the very same.
   */
  async put(
    named: { name: string; caller: Caller; isNew?: boolean; requires?: Precondition | undefined },
    definition: ScheduleDefinition,
  ): Promise<{ kind: 'created' | 'changed'; schedule: ScheduleView }> {
    checkScheduleName(named.name);
    const { tenant, principal } = named.caller;
    let kind: 'created' | 'changed' = 'created';
    await this.#checkJob(tenant, definition);
    const asked = { ref: { tenant, name: named.name }, createdBy: principal };
    const schedule = await this.#change(asked, (before, now) => {
      named.requires?.(before === null ? null : scheduleTag(before));
      kind = before === null ? 'created' : 'changed';
      const full = completeDefinition(definition, now, before?.definition ?? null);
      if (before !== null && named.isNew === true) return sameOrRefused(before, full);
      const isPaused = before?.isPaused ?? false;
      return { definition: full, isPaused, nextAt: isPaused ? null : nextOf(before, full, now) };
    });
    return { kind, schedule };
  }

  async get(ref: ScheduleRef): Promise<ScheduleView> {
    const found = await this.#find(ref);
    if (found === null) throw noSchedule(ref);
    return found;
  }

  /** In the order of names. */
  async list(query: ScheduleQuery): Promise<ScheduleView[]> {
    return (await this.#context.records.schedules.list(query)).map(viewOf);
  }

  /** Takes the schedule and its history away; the jobs that it has made stay. */
  async remove(ref: ScheduleRef, requires?: Precondition): Promise<void> {
    const check = (before: Schedule): void => requires?.(scheduleTag(viewOf(before)));
    if (!(await this.#context.records.schedules.remove(ref, check))) throw noSchedule(ref);
  }

  /** No slot of a paused schedule is fired, nor made up for later. */
  pause(ref: ScheduleRef, requires?: Precondition): Promise<ScheduleView> {
    return this.#change({ ref, createdBy: null }, (before) => {
      if (before === null) throw noSchedule(ref);
      requires?.(scheduleTag(before));
      return before.isPaused ? null : { ...before, isPaused: true, nextAt: null };
    });
  }

  /** Goes on with the first slot after now. */
  resume(ref: ScheduleRef, requires?: Precondition): Promise<ScheduleView> {
    return this.#change({ ref, createdBy: null }, (before, now) => {
      if (before === null) throw noSchedule(ref);
      requires?.(scheduleTag(before));
      if (!before.isPaused) return null;
      const nextAt = firstSlot(before.definition, now, before.lastSlot);
      return { ...before, isPaused: false, nextAt };
    });
  }

  /** Makes a job now, paused or not, and leaves the slots alone. With a key, one job for it. */
  async run(ref: ScheduleRef, caller: Caller, key: string | null = null): Promise<FireRecord> {
    const found = await this.get(ref);
    const slot = await this.#context.store.now();
    const drafted = await draftFire(this.#context, found, { slot, by: caller, key });
    if (drafted.kind === 'refused') throw drafted.error;
    const { tenant, name, id } = found;
    const fire = { tenant, name, id, expected: null, nextAt: null, entries: [drafted.entry] };
    const outcome = await this.#context.records.schedules.fire(fire);
    tellFired(this.#context.observer, fire, outcome);
    if (outcome.kind === 'missed') throw noSchedule(ref);
    const record = outcome.records[0]!;
    if (record.result === 'created') this.#context.wakeSignal.wake(null);
    return record;
  }

  /** Past slots of a schedule, the latest first. */
  async history(query: FireQuery): Promise<FireRecord[]> {
    await this.get(query);
    return this.#context.records.schedules.fires(query);
  }

  /** What every slot would be refused for is refused at once: an unknown type, a wrong input. */
  async #checkJob(tenant: string, { job }: ScheduleDefinition): Promise<void> {
    // A name that no type can have is the definition's own fault.
    if (checkName('/job/type', job.type).length > 0) return;
    const { registry, inputs } = this.#context;
    const record = await registry.type(tenant, job.type);
    try {
      if (!takesInput(record)) refuseInput(job.input);
      await inputs.check(job);
    } catch (error) {
      throw inJob(error);
    }
  }

  /** Reads, decides, compares and sets; whoever loses a race reads and decides again. */
  async #change(
    asked: { ref: ScheduleRef; createdBy: string | null },
    decide: (before: ScheduleView | null, now: Instant) => Change | null,
  ): Promise<ScheduleView> {
    const { store, records, ids } = this.#context;
    const { tenant, name } = asked.ref;
    for (let round = 0; round < ROUNDS_MAX; round++) {
      const before = await this.#find(asked.ref);
      const wanted = decide(before, await store.now());
      if (wanted === null) return before!;
      const outcome = await records.schedules.put({
        tenant,
        name,
        expected: before?.version ?? null,
        id: ids.next(),
        createdBy: asked.createdBy,
        definition: canonicalJson(wanted.definition),
        isPaused: wanted.isPaused,
        nextAt: wanted.nextAt,
      });
      if (outcome.kind === 'put') return viewOf(outcome.schedule);
    }
    const message = `the schedule "${name}" changed too often to be changed; try again`;
    throw new PawlError('STORE_UNAVAILABLE', message);
  }

  async #find({ tenant, name }: ScheduleRef): Promise<ScheduleView | null> {
    const schedule = await this.#context.records.schedules.find({ tenant, name });
    return schedule === null ? null : viewOf(schedule);
  }
}

/** Of what people set: slots that fire change the version, and not this. */
export function scheduleTag({ id, definition, isPaused }: ScheduleView): string {
  return tagOf({ id, definition, isPaused });
}

function inJob(error: unknown): unknown {
  if (!(error instanceof PawlError)) return error;
  return invalid(error.faults.map((one) => ({ ...one, pointer: `/job${one.pointer}` })));
}

/** Null where there is nothing to do. */
function sameOrRefused(before: ScheduleView, full: FullDefinition): null {
  if (canonicalJson(before.definition) === canonicalJson(full)) return null;
  const message = `there is a schedule "${before.name}" already: change it with PUT`;
  throw new PawlError('ALREADY_EXISTS', message);
}

/** A slot that is due but not yet fired stays due, unless the rule is another one. */
function nextOf(before: ScheduleView | null, full: FullDefinition, now: Instant): Instant | null {
  const isSame =
    before !== null && canonicalJson(before.definition.rule) === canonicalJson(full.rule);
  return isSame ? before.nextAt : firstSlot(full, now, before?.lastSlot ?? null);
}

/** A one-off whose time has passed is still due; nothing else begins in the past. */
function firstSlot({ rule }: FullDefinition, now: Instant, last: Instant | null): Instant | null {
  if (rule.kind === 'once') return last === null || rule.at > last ? rule.at : null;
  return nextSlot(rule, Math.max(now, last ?? 0));
}

function noSchedule({ name }: ScheduleRef): PawlError {
  return new PawlError('NOT_FOUND', `there is no schedule "${name}"`);
}

/** The next times at which it will fire; none while it is paused. */
export function nextRuns({ definition, nextAt }: ScheduleView, count: number): Instant[] {
  if (nextAt === null) return [];
  return nextSlots(definition.rule, nextAt - 1, Math.min(count, NEXT_RUNS_MAX));
}
