import {
  auditOps,
  type NewAuditEntry,
  type RecordKey,
  type RecordKind,
  type RecordStore,
  type StoredRecord,
} from 'pawl/plugin';
import type { ProcessMember } from '../model/process-description.ts';

/** What carries a deployed process out: jobs of a type, or a process of a provider by its id. */
export type DeployedUnit =
  | { readonly kind: 'job'; readonly type: string }
  | { readonly kind: 'remote'; readonly processId: string };

/** A deployed process, as it is stored. */
export interface DeployedBody {
  /** The request body that deployed it. */
  readonly package: unknown;
  readonly unit: DeployedUnit;
  /** Which groups of users may see and execute it; undefined: all users. */
  readonly groups?: readonly string[];
  /** Version, title and whatever else a list shows. */
  readonly summary: Readonly<Record<string, unknown>>;
  /** Left out: as the execution unit has them. */
  readonly inputs?: Readonly<Record<string, ProcessMember>>;
  readonly outputs?: Readonly<Record<string, ProcessMember>>;
}

export interface DeployedProcess extends DeployedBody {
  readonly id: string;
  readonly revision: number;
}

/** The processes that a tenant has deployed, by their ids. */
export const DEPLOYED: RecordKind = { name: 'ogc-process' };

/** The types of jobs that deployed processes have been carried out by, also after undeployment. */
export const DEPLOYED_TYPE: RecordKind = { name: 'ogc-process-type' };

/** Ids that a deployed process can have: no provider's have their form. */
export const DEPLOYED_ID: RegExp = /^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$/;

const LIMIT = 10_000;

interface DeployedRef {
  readonly tenant: string;
  readonly id: string;
}

export interface DeployedWrite extends DeployedRef {
  /** The revision that is changed; 0: there must be none of that id. */
  readonly expected: number;
  /** Null: it is removed. */
  readonly body: DeployedBody | null;
  readonly audit: NewAuditEntry;
}

function keyOf({ tenant, id }: DeployedRef): RecordKey {
  return { kind: DEPLOYED, tenant, id };
}

function processOf({ id, version, body }: StoredRecord): DeployedProcess {
  return { id, revision: version, ...(JSON.parse(body) as DeployedBody) };
}

/** The repository of deployed processes. */
export class DeployedRecords {
  readonly #records: RecordStore;

  constructor(records: RecordStore) {
    this.#records = records;
  }

  /** With its entry in the audit log. `stale`: it is of another revision; nothing was written. */
  async write({
    expected: version,
    body,
    audit,
    ...ref
  }: DeployedWrite): Promise<'written' | 'stale'> {
    const key = keyOf(ref);
    const change =
      body === null
        ? ({ op: 'remove', ...key, expected: { version } } as const)
        : ({
            op: 'put',
            ...key,
            body: JSON.stringify(body),
            expected: version === 0 ? 'absent' : { version },
          } as const);
    const { tenant } = ref;
    const type =
      body?.unit.kind === 'job'
        ? [{ op: 'put', kind: DEPLOYED_TYPE, tenant, id: body.unit.type, body: '{}' } as const]
        : [];
    const outcome = await this.#records.write([change, ...type, ...auditOps([audit])]);
    return outcome.kind === 'written' ? 'written' : 'stale';
  }

  async find(ref: DeployedRef): Promise<DeployedProcess | null> {
    if (!DEPLOYED_ID.test(ref.id)) return null;
    const { records } = await this.#records.read([keyOf(ref)]);
    return records[0] ? processOf(records[0]) : null;
  }

  /** By id. */
  async list(tenant: string): Promise<DeployedProcess[]> {
    const { records } = await this.#records.list({
      kind: DEPLOYED,
      tenants: [tenant],
      limit: LIMIT,
    });
    return records.map(processOf);
  }

  /** Whether jobs of a type may have been begun by a deployed process. */
  async hasType({ tenant, type }: { tenant: string; type: string }): Promise<boolean> {
    const key = { kind: DEPLOYED_TYPE, tenant, id: type };
    const { records } = await this.#records.read([key]);
    return Boolean(records[0]);
  }
}
