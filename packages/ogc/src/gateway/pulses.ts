import type { Clock, Instant } from 'pawl/define';
import type { ProviderPulse } from '../model/provider-standing.ts';

interface Call {
  readonly at: Instant;
  readonly ms: number;
  readonly isGood: boolean;
}

interface History {
  readonly calls: Call[];
  inARow: number;
  lastSuccessAt: Instant | null;
  lastFailureAt: Instant | null;
  lastFault: string | null;
}

const CALLS_MAX = 1_000;

/**
 * How providers answered this process, request by request. It is kept in memory: another process
 * has its own, and a restart begins anew.
 */
export class Pulses {
  readonly since: Instant;
  readonly windowMs = 15 * 60_000;
  readonly #clock: Clock;
  readonly #records: Map<string, History> = new Map();

  constructor(clock: Clock) {
    this.#clock = clock;
    this.since = clock.now();
  }

  /** Call what it answers with when the request has ended: with what was wrong, or null. */
  begin(provider: string): (fault: string | null) => void {
    const begun = this.#clock.now();
    return (fault) => this.#note(provider, begun, fault);
  }

  #note(provider: string, begun: Instant, fault: string | null): void {
    const at = this.#clock.now();
    const record = this.#recordOf(provider);
    record.calls.push({ at, ms: at - begun, isGood: fault === null });
    if (record.calls.length > CALLS_MAX) record.calls.shift();
    record.inARow = fault === null ? 0 : record.inARow + 1;
    if (fault === null) {
      record.lastSuccessAt = at;
    } else {
      record.lastFailureAt = at;
      record.lastFault = fault;
    }
  }

  of(provider: string): ProviderPulse {
    const { calls, inARow, ...last } = this.#recordOf(provider);
    const since = this.#clock.now() - this.windowMs;
    const recent = calls.filter(({ at }) => at >= since);
    const good = recent.filter(({ isGood }) => isGood).map(({ ms }) => ms);
    good.sort((one, other) => one - other);
    const share = (part: number): number => good[Math.ceil(part * good.length) - 1]!;
    return {
      calls: recent.length,
      failures: recent.length - good.length,
      failuresInARow: inARow,
      ...last,
      latency:
        good.length === 0 ? null : { p50Ms: share(0.5), p95Ms: share(0.95), p99Ms: share(0.99) },
    };
  }

  #recordOf(provider: string): History {
    const known = this.#records.get(provider);
    if (known !== undefined) return known;
    const record: History = {
      calls: [],
      inARow: 0,
      lastSuccessAt: null,
      lastFailureAt: null,
      lastFault: null,
    };
    this.#records.set(provider, record);
    return record;
  }
}
