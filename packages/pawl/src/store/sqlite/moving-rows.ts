import type { Policy } from '../../core/policy.ts';
import type { MovedPart } from '../moving.ts';
import type { Row } from './row.ts';

/** A job on its way to another database. Numbers in its rows are those of the one that it left. */
export interface MovedJob {
  readonly kind: 'job';
  readonly queue: string;
  readonly type: string;
  readonly lifecycle: { readonly lifecycle: string; readonly lifecycleVersion: number };
  readonly policy: Policy;
  readonly owner: string | null;
  readonly facts: Row;
  readonly live: Row | null;
  readonly keys: Row | null;
  readonly details: Row | null;
  readonly ended: Row | null;
  readonly stages: readonly Row[];
  readonly annotations: readonly Row[];
  readonly positions: readonly Row[];
  readonly entries: readonly Row[];
  readonly texts: readonly Row[];
  readonly notes: readonly Row[];
}

/** What a tenant has beside its jobs. */
export interface MovedRest {
  readonly kind: 'rest';
  /** The tenant's number in the database that it left: keys of limits have it in them. */
  readonly tenant: number;
  readonly records: readonly Row[];
  readonly limits: readonly Row[];
  readonly idempotency_keys: readonly Row[];
  readonly unique_keys: readonly Row[];
  readonly rate_levels: readonly Row[];
}

const BYTES = '~hex:';

/** Bytes as text: a row's other values are texts and numbers, and texts are left as they are. */
export function textOfPart(part: MovedJob | MovedRest): MovedPart {
  return JSON.stringify(part, (_, value: unknown) => {
    if (value instanceof Uint8Array) return { [BYTES]: Buffer.from(value).toString('hex') };
    return value;
  });
}

export function partOfText(text: MovedPart): MovedJob | MovedRest {
  return JSON.parse(text, (_, value: unknown) => {
    if (typeof value !== 'object' || value === null || !(BYTES in value)) return value;
    return new Uint8Array(Buffer.from(value[BYTES] as string, 'hex'));
  }) as MovedJob | MovedRest;
}

/** Without the rowid, which is another one where they come to. */
export function listOfRows(rows: readonly Row[]): Row[] {
  return rows.map(({ seq: _seq, ...row }) => row);
}
