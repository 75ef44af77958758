import { canonicalJson, payloadHash } from '../../core/canonical-json.ts';
import type { JsonText } from '../../core/job.ts';
import type { Policy } from '../../core/policy.ts';
import { StoreError } from '../store-error.ts';
import type { Session } from './session.ts';

const ADD = `INSERT INTO pawl.policies (digest, policy, ttl_ms, heartbeat_ms, max_attempts)
  SELECT $1, $2, $3, $4, $5 WHERE NOT EXISTS (SELECT FROM pawl.policies WHERE digest = $1)
  ON CONFLICT (digest) DO NOTHING`;

/** The number of a policy; one that is equal to an earlier one has its number. */
export async function putPolicy({ database }: Session, policy: Policy): Promise<number> {
  const digest = payloadHash(policy);
  const { ttlMs, heartbeatMs } = policy.lease;
  const values = [digest, canonicalJson(policy), ttlMs, heartbeatMs, policy.retry.maxAttempts];
  await database.write(ADD, values);
  const [row] = await database.read<{ number: number }>(
    'SELECT number FROM pawl.policies WHERE digest = $1',
    [digest],
  );
  return row!.number;
}

export async function readPolicies(
  session: Session,
  numbers: readonly number[],
): Promise<Policy[]> {
  const rows = await session.database.read<{ number: number; policy: JsonText }>(
    'SELECT number, policy FROM pawl.policies WHERE number = ANY ($1)',
    [[...new Set(numbers)]],
  );
  const policies = new Map(
    rows.map(({ number, policy }) => [number, JSON.parse(policy) as Policy]),
  );
  return numbers.map((number) => {
    const policy = policies.get(number);
    if (policy === undefined) throw new StoreError('refused', `no policy has number ${number}`);
    return policy;
  });
}
