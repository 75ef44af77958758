import {
  type Departed,
  type Departure,
  type MovingStore,
  NAMING_KINDS,
  type PackedJobs,
  type MovedPart,
  STAYING_KINDS,
  type TenantStanding,
} from '../moving.ts';
import { eraseLeft } from './erase.ts';
import type { Session } from './session.ts';
import type { Sessions } from './sessions.ts';

/** Before the first id. */
const FIRST_ID = '00000000-0000-0000-0000-000000000000';

interface PackedRow {
  readonly last: string;
  readonly count: number;
  readonly body: MovedPart;
}

interface DepartedRow {
  readonly part: number;
  readonly body: MovedPart;
}

/** Tenants that leave this database, or come to it: verbs in sql/moving.sql. */
export function movingOn(sessions: Sessions): MovingStore {
  const verb = <Row>(name: string, ...values: readonly unknown[]): Promise<Row[]> =>
    sessions.with(({ database }) => database.verb<Row>(name, values));
  const ask = <Row>(name: string, ...values: readonly unknown[]): Promise<Row[]> =>
    sessions.with(({ database }) => database.ask<Row>(name, values));
  return {
    kind: 'PostgreSQL',
    standing: async (tenant) => {
      const [row] = await ask<{ generation: number; left_for: string | null }>(
        'tenant_standing',
        tenant,
      );
      return standingOf(row);
    },
    expect: async (tenant, generation) => {
      const [row] = await verb<{ expect_tenant: boolean }>('expect_tenant', tenant, generation);
      return row!.expect_tenant;
    },
    mark: () => sessions.with(markOf),
    packEnded: async (tenant, after, limit) => {
      const rows = await ask<PackedRow>('pack_ended', tenant, after ?? FIRST_ID, limit);
      return packedOf(rows, limit);
    },
    packSince: async (tenant, since, to) =>
      packedOf(await ask<PackedRow>('pack_since', tenant, since, to), Infinity),
    depart: (tenant, departure) => sessions.with((session) => depart(session, tenant, departure)),
    departed: async (tenant, after, limit) => {
      const rows = await ask<DepartedRow>('departed', tenant, after, limit);
      const next = rows.length < limit ? null : rows.at(-1)!.part;
      return { parts: rows.map(({ body }) => body), next };
    },
    take: async (tenant, generation, parts) => {
      await verb('take_parts', tenant, generation, parts);
    },
    arrive: async (tenant, generation) => {
      await verb('arrive', tenant, generation);
    },
    settle: async (tenant) => {
      await verb('settle', tenant);
    },
    eraseLeft: (tenant, id) => sessions.with((session) => eraseLeft(session, { tenant, id })),
  };
}

function standingOf(
  row: { readonly generation: number; readonly left_for: string | null } | undefined,
): TenantStanding {
  return { generation: row?.generation ?? 1, leftFor: row?.left_for ?? null };
}

async function markOf({ database }: Session): Promise<number> {
  const [log] = await database.ask<{ floor: number }>('log_state', []);
  return log!.floor;
}

function packedOf(rows: readonly PackedRow[], limit: number): PackedJobs {
  const jobs = rows[0]?.count ?? 0;
  return {
    parts: rows.map(({ body }) => body),
    jobs,
    next: jobs < limit ? null : rows[0]!.last,
  };
}

async function depart(
  { database }: Session,
  tenant: string,
  { to, generation, since }: Departure,
): Promise<Departed> {
  const values = [tenant, to, generation, since, STAYING_KINDS, NAMING_KINDS];
  const [row] = await database.verb<Departed>('depart', values);
  return row!;
}
