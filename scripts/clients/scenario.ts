// What a scenario is, and what scenarios share.
import assert from 'node:assert/strict';
import type { ApiClient } from 'pawl/client';
import { type Driver, Refusal } from './driver.ts';
import type { LossyProxy } from './lossy-proxy.ts';

export interface Stage {
  readonly driver: Driver;
  readonly api: ApiClient;
  readonly proxy: LossyProxy;
}

export interface Scenario {
  readonly name: string;
  /** A sentence that is true of a client that passes. */
  readonly title: string;
  readonly run: (stage: Stage) => Promise<void>;
}

export const TIMEOUT_MS = 60_000;
const RETRY = { maxAttempts: 3, backoff: { kind: 'fixed', baseMs: 1 } } as const;
export const LEASE = { ttlMs: 60_000, heartbeatMs: 2_000 } as const;
export const TASK = { lifecycle: 'task', retry: RETRY, lease: LEASE } as const;

export async function refusedWith(code: string, asked: Promise<unknown>): Promise<void> {
  await assert.rejects(asked, (error) => {
    assert.ok(error instanceof Refusal, String(error));
    assert.equal(error.code, code);
    return true;
  });
}
