import type { Instant } from '../../core/clock.ts';
import {
  EMPTY_LEVEL,
  levelAfter,
  levelAt,
  nextTokenAt,
  type RateLevel,
  tokensLeft,
} from '../../core/rate.ts';
import { firstKeyOf, GATE, gateAfter, gateOfKey, keyAt, rateAt } from '../../store/gate.ts';
import { Heap } from './heap.ts';
import { byUrgency, type SimJob, type SimState } from './sim-job.ts';

interface Gate {
  readonly line: Heap<SimJob>;
  /** Those of the key that are beyond this gate and count against it. */
  passed: number;
  level: RateLevel;
  plannedAt: Instant | null;
}

export interface GatesOptions {
  /** A job may be claimed from now on. */
  readonly onOpen: (job: SimJob) => void;
  /** A key has its next token then. */
  readonly onToken: (key: string, at: Instant) => void;
}

/** Admission by slots of a key and by tokens, with the rules of the stores (store/gate.ts). */
export class SimGates {
  readonly #options: GatesOptions;
  readonly #gates: Map<string, Gate> = new Map();

  constructor(options: GatesOptions) {
    this.#options = options;
  }

  /** A job has become due. */
  enter(job: SimJob, now: Instant): void {
    this.#move(job, gateAfter(GATE.open, job.plan));
    const key = firstKeyOf(job.plan);
    if (key !== null) this.admit([key], now);
  }

  /** A claim is a start: it takes the tokens of its user and its tenant. */
  claimed(job: SimJob, now: Instant): void {
    this.#move(job, 'owned');
    for (const gate of [GATE.user, GATE.organisation]) {
      const key = keyAt(gate, job.plan);
      if (key === null) continue;
      const found = this.#gate(key);
      found.level = levelAfter(found.level, rateAt(gate, job.plan.limits!), now);
    }
  }

  /** A job has left its owner or its line. */
  left(job: SimJob, now: Instant): void {
    this.#move(job, 'away');
    const { limitKey, userKey, organisationKey } = job.plan;
    this.admit(
      [limitKey, userKey, organisationKey].filter((key) => key !== null),
      now,
    );
  }

  /** Lets on whom these keys have room for, gate by gate. */
  admit(touched: readonly string[], now: Instant): void {
    if (touched.length === 0) return;
    const keys = new Set(touched);
    for (const gate of [GATE.parked, GATE.user, GATE.organisation]) {
      for (const key of keys) {
        if (gateOfKey(key) !== gate) continue;
        for (const job of this.#admitOne(gate, key, now)) {
          const next = typeof job.state === 'number' ? keyAt(job.state, job.plan) : null;
          if (next !== null) keys.add(next);
        }
      }
    }
  }

  #admitOne(gate: number, key: string, now: Instant): SimJob[] {
    const found = this.#gate(key);
    const moved: SimJob[] = [];
    for (;;) {
      const head = headOf(found.line, gate);
      if (head === undefined) return moved;
      if (!this.#hasRoom(found, { gate, head, now })) {
        if (gate !== GATE.parked) this.#plan(found, { gate, key, head, now });
        return moved;
      }
      found.line.pop();
      this.#move(head, gateAfter(gate, head.plan));
      moved.push(head);
    }
  }

  #hasRoom({ passed, level }: Gate, { gate, head, now }: Asked): boolean {
    const { limits } = head.plan;
    if (gate === GATE.parked) return passed < limits!.runningPerKey!.max;
    const rate = rateAt(gate, limits!);
    return tokensLeft(levelAt(level, rate, now), rate, passed) > 0;
  }

  #plan(found: Gate, { gate, key, head, now }: Asked & { readonly key: string }): void {
    const rate = rateAt(gate, head.plan.limits!);
    const at = nextTokenAt(levelAt(found.level, rate, now), rate, found.passed);
    if (found.plannedAt !== null && found.plannedAt > now && found.plannedAt <= at) return;
    found.plannedAt = at;
    this.#options.onToken(key, at);
  }

  #move(job: SimJob, state: SimState): void {
    const { plan } = job;
    for (const gate of [GATE.parked, GATE.user, GATE.organisation]) {
      const key = keyAt(gate, plan);
      if (key === null) continue;
      const change = Number(isPassed(state, gate)) - Number(isPassed(job.state, gate));
      if (change !== 0) this.#gate(key).passed += change;
    }
    job.state = state;
    if (state === GATE.open) this.#options.onOpen(job);
    else if (typeof state === 'number') this.#gate(keyAt(state, plan)!).line.push(job);
  }

  #gate(key: string): Gate {
    let gate = this.#gates.get(key);
    if (gate === undefined) {
      gate = { line: new Heap(byUrgency), passed: 0, level: EMPTY_LEVEL, plannedAt: null };
      this.#gates.set(key, gate);
    }
    return gate;
  }
}

interface Asked {
  readonly gate: number;
  readonly head: SimJob;
  readonly now: Instant;
}

/** Who has left its line is still in the heap, and is passed over. */
function headOf(line: Heap<SimJob>, gate: number): SimJob | undefined {
  while (line.first !== undefined && line.first.state !== gate) line.pop();
  return line.first;
}

function isPassed(state: SimState, gate: number): boolean {
  if (state === 'away') return false;
  if (state === 'owned') return gate === GATE.parked;
  return state === GATE.open || state > gate;
}
