import { AUDIT } from '../records/audit.ts';
import type { RecordKind, RecordStore } from '../store/records.ts';
import { StoreError } from '../store/store-error.ts';
import type { Plugin } from './plugin.ts';

/** A plug-in used a kind of record that is not among its `records`. Nothing was read or written. */
export class UndeclaredRecordError extends StoreError {
  readonly plugin: string;
  /** The name of the kind. */
  readonly kind: string;

  constructor(plugin: string, kind: string) {
    super(
      'refused',
      `the plug-in "${plugin}" uses records of the kind "${kind}" without declaring it: ` +
        'add the kind to `records` of its definition',
    );
    this.name = 'UndeclaredRecordError';
    this.plugin = plugin;
    this.kind = kind;
  }
}

/** The records of a plug-in: of the kinds that it declares, and its entries in the audit log. */
export function declaredRecords(
  { name, records: declared = [] }: Plugin,
  records: RecordStore,
): RecordStore {
  const own = new Set(declared.map((kind) => kind.name));
  const check = (kinds: readonly RecordKind[]): void => {
    const stranger = kinds.find((kind) => !own.has(kind.name));
    if (stranger !== undefined) throw new UndeclaredRecordError(name, stranger.name);
  };
  return {
    read: async (keys) => {
      check(keys.map(({ kind }) => kind));
      return records.read(keys);
    },
    list: async (query) => {
      check([query.kind]);
      return records.list(query);
    },
    count: async (match, by) => {
      check([match.kind]);
      return records.count(match, by);
    },
    write: async (ops) => {
      const kinds = ops.flatMap((op) => (op.op === 'fence' ? [] : [op.kind]));
      check(kinds.filter((kind) => kind.name !== AUDIT.name));
      return records.write(ops);
    },
  };
}
