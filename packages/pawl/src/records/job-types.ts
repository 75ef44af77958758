import type { Instant } from '../core/clock.ts';
import type { JsonText } from '../core/job.ts';
import type { Policy } from '../core/policy.ts';
import { tagOf } from '../core/precondition.ts';
import type { RecordKey, RecordKind, RecordStore, StoredRecord } from '../store/records.ts';
import type { Store } from '../store/store.ts';
import { allRecords } from './all-records.ts';
import { changeRecords } from './change.ts';
import type { RecordPage } from './record-page.ts';

export interface TypeRef {
  readonly tenant: string;
  readonly type: string;
}

/** A type as registered: the policy of its next jobs and the definition it came from. */
export interface TypeRecord extends TypeRef {
  /** The number under which the jobs know the policy. */
  readonly policy: number;
  readonly revision: number;
  readonly definition: JsonText;
  readonly updatedAt: Instant;
}

export interface TypeEntry {
  readonly policy: Policy;
  readonly definition: JsonText;
}

/** Definitions are limited by the API; escaping makes them longer inside a body. */
const TYPE: RecordKind = { name: 'type', bytesMax: 4_194_304 };

/** Definitions are long: a slice is held in memory. */
const SLICE_MAX = 50;

type Body = Pick<TypeRecord, 'policy' | 'revision' | 'definition'>;

function keyOf({ tenant, type }: TypeRef): RecordKey {
  return { kind: TYPE, tenant, id: type };
}

function typeOf({ tenant, id, body, updatedAt }: StoredRecord): TypeRecord {
  const { policy, revision, definition } = JSON.parse(body) as Body;
  return { tenant, type: id, policy, revision, definition, updatedAt };
}

/** What `If-Match` of a change names: which definition, and whose. */
export function typeTag({ tenant, revision }: TypeRecord): string {
  return tagOf({ tenant, revision });
}

/** The repository of registered job types. */
export class JobTypes {
  readonly #records: RecordStore;
  readonly #store: Pick<Store, 'putPolicy'>;

  constructor(store: Pick<Store, 'records' | 'putPolicy'>) {
    this.#records = store.records;
    this.#store = store;
  }

  /** Registers a type; an equal policy keeps its number and an equal definition its revision. */
  async put(
    ref: TypeRef,
    { policy, definition }: TypeEntry,
    requires?: (known: TypeRecord | null) => void,
  ): Promise<TypeRecord> {
    const number = await this.#store.putPolicy(policy);
    const { tenant, type } = ref;
    return changeRecords<TypeRecord>(this.#records, [keyOf(ref)], ([found]) => {
      const known = found ? typeOf(found) : null;
      requires?.(known);
      const isSame = known?.definition === definition;
      if (isSame && known.policy === number) return { ops: [], answer: () => known };
      const revision = isSame ? known.revision : (known?.revision ?? 0) + 1;
      const body: Body = { policy: number, revision, definition };
      const expected = found ?? 'absent';
      return {
        ops: [{ op: 'put', ...keyOf(ref), body: JSON.stringify(body), expected }],
        answer: (at) => ({ tenant, type, ...body, updatedAt: at }),
      };
    });
  }

  /** In the order of the refs; null for one that is not registered. */
  async read(refs: readonly TypeRef[]): Promise<(TypeRecord | null)[]> {
    const { records } = await this.#records.read(refs.map(keyOf));
    return records.map((record) => (record === null ? null : typeOf(record)));
  }

  /**
   * By name, those of a tenant and of those that all tenants share: its own one where both have one
   * of a name.
   */
  async page(
    { tenant, shared }: { readonly tenant: string; readonly shared: string },
    { after, limit }: RecordPage,
  ): Promise<TypeRecord[]> {
    const found = new Map<string, TypeRecord>();
    const tenants = [...new Set([tenant, shared])];
    let last = after;
    while (found.size <= limit) {
      const query = { kind: TYPE, tenants, limit: SLICE_MAX, after: last };
      const { records } = await this.#records.list(query);
      const isLast = records.length < SLICE_MAX;
      // Of the last name there may be another one, which the next slice has as well.
      const end = isLast ? undefined : records.at(-1)!.id;
      for (const type of records.map(typeOf)) {
        if (type.type === end) break;
        if (type.tenant === tenant || !found.has(type.type)) found.set(type.type, type);
        last = type.type;
      }
      if (isLast) break;
    }
    return [...found.values()].slice(0, limit);
  }

  /** All types of a tenant, by name. */
  async list(tenant: string): Promise<TypeRecord[]> {
    return (await allRecords(this.#records, { kind: TYPE, tenants: [tenant] })).map(typeOf);
  }
}
