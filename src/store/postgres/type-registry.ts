import { canonicalJson, payloadHash } from '../../core/canonical-json.ts';
import type { JsonText } from '../../core/job.ts';
import type { Policy } from '../../core/policy.ts';
import { StoreError } from '../store-error.ts';
import type { TypeEntry, TypeRecord } from '../store.ts';
import type { Query } from './pool.ts';
import type { Session } from './session.ts';
import { NOW, toMs } from './sql-text.ts';

const RECORD = `type, policy, revision, definition, ${toMs('updated_at')} AS "updatedAt"`;

/** Registers a type; what is equal to before keeps its number. */
export async function putType(
  session: Session,
  name: { tenant: string; type: string },
  entry: TypeEntry,
): Promise<TypeRecord> {
  const { tenant, type } = name;
  await session.names.addTenants([tenant]);
  const record = await session.database.transact(async (query) => {
    const policy = await numberOf(query, entry.policy);
    const [row] = await query<Omit<TypeRecord, 'tenant'>>(
      `INSERT INTO pawl.types AS t VALUES ($1, $2, $3, 1, $4, ${NOW.replace('p_now', '$5')})
       ON CONFLICT (tenant_id, type) DO UPDATE SET policy = excluded.policy,
         revision = t.revision + (t.definition::text <> excluded.definition::text)::int,
         definition = excluded.definition,
         updated_at = CASE WHEN t.policy = excluded.policy
           AND t.definition::text = excluded.definition::text
           THEN t.updated_at ELSE excluded.updated_at END
       RETURNING ${RECORD}`,
      [session.names.tenantId(tenant), type, policy, entry.definition, session.now()],
    );
    return row!;
  });
  return { tenant, ...record };
}

async function numberOf(query: Query, policy: Policy): Promise<number> {
  const digest = payloadHash(policy);
  const { ttlMs, heartbeatMs } = policy.lease;
  await query(
    `INSERT INTO pawl.policies (digest, policy, ttl_ms, heartbeat_ms, max_attempts)
     SELECT $1, $2, $3, $4, $5 WHERE NOT EXISTS (SELECT FROM pawl.policies WHERE digest = $1)
     ON CONFLICT (digest) DO NOTHING`,
    [digest, canonicalJson(policy), ttlMs, heartbeatMs, policy.retry.maxAttempts],
  );
  const [row] = await query<{ number: number }>(
    'SELECT number FROM pawl.policies WHERE digest = $1',
    [digest],
  );
  return row!.number;
}

export async function listTypes(session: Session, tenant: string): Promise<TypeRecord[]> {
  const [id] = await session.names.findTenants([tenant]);
  const rows = await session.database.read<Omit<TypeRecord, 'tenant'>>(
    `SELECT ${RECORD} FROM pawl.types WHERE tenant_id = $1 ORDER BY type`,
    [id],
  );
  return rows.map((row) => ({ tenant, ...row }));
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
