import type { TypeEntry, TypeRecord } from '../store.ts';
import { putPolicy } from './policy.ts';
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
  const policy = await putPolicy(session, entry.policy);
  const [row] = await session.database.write<Omit<TypeRecord, 'tenant'>>(
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
  return { tenant, ...row! };
}

export async function listTypes(session: Session, tenant: string): Promise<TypeRecord[]> {
  const [id] = await session.names.findTenants([tenant]);
  const rows = await session.database.read<Omit<TypeRecord, 'tenant'>>(
    `SELECT ${RECORD} FROM pawl.types WHERE tenant_id = $1 ORDER BY type`,
    [id],
  );
  return rows.map((row) => ({ tenant, ...row }));
}
