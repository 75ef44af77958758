import {
  type AwaitedBy,
  columnOf,
  type JobLabels,
  LABEL_FORMS,
  LABEL_NAMES,
  type LabelForm,
  labelsIn,
  PARENT_KINDS,
  type ParentKind,
} from '../../core/job-labels.ts';
import { fieldsOf } from './composite.ts';

/** How a label lies in its columns. */
interface Stored {
  readonly columns: (column: string) => readonly (readonly [name: string, type: string])[];
  readonly write: (value: unknown) => readonly unknown[];
  readonly read: (fields: readonly (string | null)[]) => unknown;
}

function oneColumn(type: string): Stored {
  return { columns: (column) => [[column, type]], write: (value) => [value], read: ([it]) => it };
}

const STORED: Readonly<Record<LabelForm, Stored>> = {
  text: oneColumn('text'),
  uuid: oneColumn('uuid'),
  parentKind: {
    ...oneColumn('int2'),
    write: (kind) => [PARENT_KINDS.indexOf(kind as ParentKind) + 1],
    read: ([code]) => (code === null ? null : PARENT_KINDS[Number(code) - 1]),
  },
  awaitedBy: {
    columns: (column) => [
      [column, 'uuid'],
      ['wait', 'text'],
      ['wait_key', 'text'],
    ],
    write: (place) => {
      const { jobId, wait, key } = place as AwaitedBy;
      return [jobId, wait, key];
    },
    read: ([jobId, wait, key]) => (jobId === null ? null : { jobId, wait, key }),
  },
};

const LABELS = LABEL_NAMES.map((name) => {
  const stored = STORED[LABEL_FORMS[name]];
  return { name, stored, columns: stored.columns(columnOf(name)) };
});

/** The last columns of `facts`, in their order. */
export const LABEL_COLUMNS = LABELS.flatMap(({ columns }) => columns);

const NO_LABELS = labelsIn({});

/** What a new job's labels are sent as; undefined where it has none. */
export function wireLabels(job: Partial<JobLabels>): Record<string, unknown> | undefined {
  let wire: Record<string, unknown> | undefined;
  for (const { name, stored, columns } of LABELS) {
    const value = job[name] ?? null;
    if (value === null) continue;
    wire ??= {};
    const values = stored.write(value);
    for (const [at, [column]] of columns.entries()) wire[column] = values[at];
  }
  return wire;
}

/** The labels in a `job_labels` of the database; null where the job has none. */
export function labelsOf(text: string | null): JobLabels {
  if (text === null) return NO_LABELS;
  const fields = fieldsOf(text);
  const labels: Record<string, unknown> = {};
  let at = 0;
  for (const { name, stored, columns } of LABELS) {
    labels[name] = stored.read(fields.slice(at, at + columns.length));
    at += columns.length;
  }
  return labels as unknown as JobLabels;
}

/** The type by which labels travel, and what makes one of it from a job's facts. */
export function labelsSql(): string {
  const types = LABEL_COLUMNS.map(([name, type]) => `${name} ${type}`).join(', ');
  const values = LABEL_COLUMNS.map(([name]) => `f.${name}`).join(', ');
  return `
    CREATE TYPE job_labels AS (${types});
    CREATE FUNCTION labels_of(f facts) RETURNS job_labels LANGUAGE sql IMMUTABLE AS $$
      SELECT CASE WHEN num_nonnulls(${values}) > 0 THEN ROW(${values})::job_labels END
    $$;`;
}
