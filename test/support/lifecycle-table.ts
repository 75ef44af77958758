// A lifecycle seen from outside: what each thing one can ask leads to, from each place.
import assert from 'node:assert/strict';
import { decide } from 'pawl/internal/core/decide';
import type { Decision, Facts, Request, Step } from 'pawl/internal/core/decision';
import {
  birthPlaces,
  type Lifecycle,
  type Place,
  placeName,
  rowsOf,
} from 'pawl/internal/core/lifecycle';
import type { Policy } from 'pawl/internal/core/policy';
import { type Random, SeededRandom } from 'pawl/internal/core/random';

export function policyOf(lifecycle: Lifecycle, more: Partial<Policy> = {}): Policy {
  return {
    lifecycle: lifecycle.name,
    lifecycleVersion: lifecycle.version,
    timeoutMs: null,
    stages: [],
    ...lifecycle.defaults,
    ...more,
  };
}

/** Facts of a first attempt at the initial place, but for what is given. */
export function factsOf(lifecycle: Lifecycle, more: Partial<Facts> = {}): Facts {
  return {
    type: 'job',
    lifecycle,
    policy: policyOf(lifecycle),
    place: lifecycle.initial,
    epoch: 1,
    attempts: 1,
    retryCount: 0,
    backoffMs: null,
    stage: null,
    isCancelWished: false,
    ...more,
  };
}

export function placeAt(lifecycle: Lifecycle, name: string): Place {
  const found = lifecycle.places.find((place) => placeName(place) === name);
  assert.ok(found, `${lifecycle.name} has no ${name}`);
  return found;
}

/** A decision that must be legal. */
export function legal(decision: Decision): Extract<Decision, { isLegal: true }> {
  assert.ok(decision.isLegal, decision.isLegal ? '' : decision.reason);
  return decision;
}

/** A class of error that jobs of this lifecycle are retried for. */
export function retriedClass({ defaults: { retryable } }: Lifecycle): string {
  return retryable?.[0] ?? 'TransientError';
}

type Asked = readonly [request: Request, isLastAttempt: boolean];

function everythingOneCanAsk(lifecycle: Lifecycle): Readonly<Record<string, Asked>> {
  const retried = { class: retriedClass(lifecycle), message: 'again' };
  const fatal = { class: 'internal_bug', message: 'never' };
  return {
    submit: [{ on: 'submit' }, false],
    start: [{ on: 'start' }, false],
    succeed: [{ on: 'succeed' }, false],
    'fail, retryable': [{ on: 'fail', error: retried }, false],
    'fail, exhausted': [{ on: 'fail', error: retried }, true],
    'fail, fatal': [{ on: 'fail', error: fatal }, false],
    'fail, to the dead': [{ on: 'fail', error: retried, deadLetter: 'timeout' }, false],
    lose: [{ on: 'lose' }, false],
    'lose, exhausted': [{ on: 'lose' }, true],
    snooze: [{ on: 'snooze', delayMs: 5 }, false],
    advance: [{ on: 'advance', delayMs: 5 }, false],
    release: [{ on: 'release' }, false],
    requeue: [{ on: 'requeue' }, false],
    cancel: [{ on: 'cancel', reason: null }, false],
    reject: [{ on: 'reject', error: fatal }, false],
    deadLetter: [{ on: 'deadLetter', reason: 'parse_error', message: 'bad' }, false],
  };
}

/** From each place, what is asked, to the path it takes; what is refused is left out. */
export function outcomesOf(
  lifecycle: Lifecycle,
  policy: Policy = policyOf(lifecycle),
): Record<string, Record<string, string>> {
  const outcomes: Record<string, Record<string, string>> = {};
  for (const place of lifecycle.places) {
    const paths: Record<string, string> = {};
    for (const [name, [request, isLast]] of Object.entries(everythingOneCanAsk(lifecycle))) {
      const attempts = isLast ? policy.retry.maxAttempts : 1;
      const facts = factsOf(lifecycle, { policy, place, attempts });
      const decision = decide(facts, request, new SeededRandom(1));
      if (!decision.isLegal) continue;
      paths[name] = decision.steps.map(({ to }) => placeName(to)).join(' → ');
    }
    outcomes[placeName(place)] = paths;
  }
  return outcomes;
}

/** Where a claim leads from each place that can be claimed; `quiet` where no event is written. */
export function claimsOf(lifecycle: Lifecycle): Record<string, string> {
  return Object.fromEntries(
    lifecycle.places.flatMap((place) =>
      rowsOf(lifecycle, 'claim', place).map(({ to, quiet }) => {
        return [placeName(place), quiet ? `${placeName(to)}, quiet` : placeName(to)];
      }),
    ),
  );
}

/** The document's own view: which state follows which, a state that stays itself left out. */
export function statePairsOf(lifecycle: Lifecycle): string[] {
  const pairs = lifecycle.transitions
    .filter(({ from, to }) => from.state !== to.state)
    .map(({ from, to }) => `${from.state}→${to.state}`);
  return [...new Set(pairs)].sort();
}

/** A job that lives in the core alone: states as a document writes them down. */
export class Walk {
  readonly states: string[];
  readonly steps: Step[] = [];
  facts: Facts;
  readonly #random: Random = new SeededRandom(7);

  constructor(lifecycle: Lifecycle, more: Partial<Facts> = {}) {
    const births = birthPlaces(lifecycle, true);
    this.states = births.map(({ state }) => state);
    this.facts = factsOf(lifecycle, { place: births.at(-1)!, attempts: 0, ...more });
  }

  claim(): this {
    const [row] = rowsOf(this.facts.lifecycle, 'claim', this.facts.place);
    assert.ok(row, `no claim of ${placeName(this.facts.place)}`);
    this.facts = { ...this.facts, place: row.to, attempts: Math.max(1, this.facts.attempts) };
    this.states.push(row.to.state);
    return this;
  }

  ask(request: Request): this {
    const { steps } = legal(decide(this.facts, request, this.#random));
    for (const step of steps) {
      const { to: place, epoch, attempts, retryCount } = step;
      const backoffMs = step.backoffMs ?? this.facts.backoffMs;
      this.facts = { ...this.facts, place, epoch, attempts, retryCount, backoffMs };
      this.states.push(place.state);
      this.steps.push(step);
    }
    return this;
  }
}
