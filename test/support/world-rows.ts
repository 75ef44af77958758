// Which rows of the lifecycles' tables a test run has really taken.
import { eventTypeOf } from 'pawl/internal/core/event';
import type { Step } from 'pawl/internal/core/decision';
import type { Job, JobRef } from 'pawl/internal/core/job';
import {
  type Lifecycle,
  type Place,
  placeName,
  samePlace,
  type Transition,
  type Trigger,
} from 'pawl/internal/core/lifecycle';
import type { Move, MovedAndClaimed, MoveOutcome } from 'pawl/internal/store/move';
import type { Store } from 'pawl/internal/store/store';

function rowName(lifecycle: string, row: Pick<Transition, 'on' | 'from' | 'to'>): string {
  return `${lifecycle}: ${row.on} ${placeName(row.from)} → ${placeName(row.to)}`;
}

/** Counts the rows taken on the way into a store, quiet ones included. */
export class RowCoverage {
  readonly #lifecycles: readonly Lifecycle[];
  readonly #taken = new Map<string, number>();

  constructor(lifecycles: readonly Lifecycle[]) {
    this.#lifecycles = lifecycles;
  }

  get missing(): readonly string[] {
    return this.#listed().filter((name) => !this.#taken.has(name));
  }

  /** Triggers of which not one row was taken, a coarser measure than `missing`. */
  get missingTriggers(): readonly string[] {
    const nameOf = (row: string): string => row.split(' ').slice(0, 2).join(' ');
    const taken = new Set([...this.#taken.keys()].map(nameOf));
    return [...new Set(this.missing.map(nameOf))].filter((trigger) => !taken.has(trigger));
  }

  get summary(): string {
    const listed = this.#listed();
    const lines = this.#lifecycles.map(({ name }) => {
      const rows = listed.filter((row) => row.startsWith(`${name}: `));
      const taken = rows.filter((row) => this.#taken.has(row));
      const times = taken.reduce((sum, row) => sum + this.#taken.get(row)!, 0);
      return `${name} ${taken.length}/${rows.length} rows (${times} times)`;
    });
    return lines.join(', ');
  }

  /** How often each row was taken, by its name. */
  get taken(): Readonly<Record<string, number>> {
    return Object.fromEntries(this.#taken);
  }

  /** Goes on from what an earlier run has taken. */
  add(taken: Readonly<Record<string, number>>): void {
    for (const [name, times] of Object.entries(taken)) {
      this.#taken.set(name, (this.#taken.get(name) ?? 0) + times);
    }
  }

  count(lifecycle: Lifecycle, row: Transition): void {
    const name = rowName(lifecycle.name, row);
    this.#taken.set(name, (this.#taken.get(name) ?? 0) + 1);
  }

  #listed(): readonly string[] {
    return this.#lifecycles.flatMap((one) => one.transitions.map((row) => rowName(one.name, row)));
  }

  /** The same store, watched. */
  watch(store: Store): Store {
    const watcher = new Watcher(this.#lifecycles, this);
    return new Proxy(store, {
      get: (target, verb: keyof Store) => {
        const method = target[verb];
        if (typeof method !== 'function') return method;
        return async (...args: unknown[]): Promise<unknown> => {
          const answer: unknown = await (method as Function).apply(target, args);
          watcher.see(verb, args[0], answer);
          return answer;
        };
      },
    });
  }
}

interface Standing {
  readonly lifecycle: Lifecycle;
  readonly place: Place;
  readonly epoch: number;
}

/** Remembers where each job stood, because a claim's answer says only where it stands now. */
class Watcher {
  readonly #lifecycles: readonly Lifecycle[];
  readonly #coverage: RowCoverage;
  readonly #standings = new Map<string, Standing>();

  constructor(lifecycles: readonly Lifecycle[], coverage: RowCoverage) {
    this.#lifecycles = lifecycles;
    this.#coverage = coverage;
  }

  see(verb: keyof Store, asked: unknown, answer: unknown): void {
    if (verb === 'insert') this.#seeBirths(asked as Parameters<Store['insert']>[0], answer);
    if (verb === 'claim') for (const { job } of answer as { job: Job }[]) this.#seeClaim(job);
    if (verb === 'apply') {
      const told = answer as readonly MoveOutcome[] | MovedAndClaimed;
      const { outcomes, claimed } = 'outcomes' in told ? told : { outcomes: told, claimed: [] };
      (asked as readonly Move[]).forEach((move, index) => {
        if (outcomes[index]!.kind === 'moved') this.#seeMove(move);
      });
      for (const { job } of claimed) this.#seeClaim(job);
    }
  }

  #seeBirths(jobs: Parameters<Store['insert']>[0], answer: unknown): void {
    const told = answer as { kind: string }[] | { outcomes?: { kind: string }[] };
    const outcomes = Array.isArray(told) ? told : (told.outcomes ?? []);
    jobs.forEach((job, index) => {
      if (outcomes[index]?.kind !== 'created') return;
      const lifecycle = this.#lifecycles.find((one) => one.name === job.lifecycle)!;
      const [first, second] = job.places;
      this.#standings.set(keyOf(job), { lifecycle, place: (second ?? first)!, epoch: 1 });
      if (second !== undefined) this.#count(lifecycle, 'submit', { from: first!, to: second });
    });
  }

  #seeClaim(job: Job): void {
    const before = this.#standings.get(keyOf(job));
    const place: Place = { state: job.state, phase: job.phase };
    if (before === undefined) return;
    // A repeated request is answered with what it won before: nothing was taken now.
    if (before.epoch === job.epoch && samePlace(before.place, place)) return;
    this.#count(before.lifecycle, 'claim', { from: before.place, to: place });
    this.#standings.set(keyOf(job), { ...before, place, epoch: job.epoch });
  }

  #seeMove(move: Move): void {
    const before = this.#standings.get(keyOf(move));
    if (before === undefined) return;
    for (const step of move.steps) {
      this.#count(before.lifecycle, triggerOf(before.lifecycle, move, step), step);
    }
    const last = move.steps.at(-1);
    if (last === undefined) return;
    this.#standings.set(keyOf(move), { ...before, place: last.to, epoch: last.epoch });
  }

  #count(lifecycle: Lifecycle, on: Trigger | null, move: { from: Place; to: Place }): void {
    const row = lifecycle.transitions.find(
      (one) => one.on === on && samePlace(one.from, move.from) && samePlace(one.to, move.to),
    );
    if (row !== undefined) this.#coverage.count(lifecycle, row);
  }
}

/** The trigger of a step: several rows may join the same places. */
function triggerOf(lifecycle: Lifecycle, move: Move, step: Step): Trigger | null {
  const triggers = lifecycle.transitions
    .filter((row) => samePlace(row.from, step.from) && samePlace(row.to, step.to))
    .filter(
      (row) => step.event === 'job_failed' || eventTypeOf(row.on, row.to.phase) === step.event,
    )
    .map((row) => row.on);
  if (triggers.length < 2) return triggers[0] ?? null;
  return triggers.find((on) => on === wantedTrigger(move, step)) ?? null;
}

function wantedTrigger(move: Move, step: Step): Trigger {
  const hasError = step.error !== undefined && step.error !== null;
  if (move.fence.kind === 'expired') return 'lose';
  if (move.fence.kind === 'version') return step.to.phase === 'dead' ? 'deadLetter' : 'reject';
  return hasError ? 'fail' : 'release';
}

function keyOf(ref: JobRef): string {
  return `${ref.tenant}/${ref.id}`;
}
