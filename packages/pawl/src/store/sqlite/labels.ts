import type { SQLInputValue, SQLOutputValue } from 'node:sqlite';
import {
  type AwaitedBy,
  columnOf,
  type JobLabels,
  LABEL_FORMS,
  LABEL_NAMES,
  type LabelForm,
  PARENT_KINDS,
  type ParentKind,
} from '../../core/job-labels.ts';
import type { JsonText } from '../../core/job.ts';
import { bytesToStore, uuidOfBytes } from './uuid-bytes.ts';

/** How a label lies in its column, where it is not null. */
interface Stored {
  readonly write: (value: unknown) => SQLInputValue;
  readonly read: (value: SQLOutputValue) => unknown;
}

export function parentCode(kind: ParentKind): number {
  return PARENT_KINDS.indexOf(kind) + 1;
}

/** The key comes last, so that what children of one wait have in common is read once. */
export function awaitedByText({ jobId, wait, key }: AwaitedBy): JsonText {
  return JSON.stringify({ jobId, wait, key });
}

const KEY = ',"key":';
let lastWait = { text: '', place: { jobId: '', wait: '' } };

export function awaitedByOf(text: JsonText): AwaitedBy {
  // Never found inside of a text, whose quotes are escaped.
  const at = text.indexOf(KEY);
  const head = text.slice(0, at);
  if (lastWait.text !== head) {
    lastWait = { text: head, place: JSON.parse(`${head}}`) as { jobId: string; wait: string } };
  }
  const { jobId, wait } = lastWait.place;
  const quoted = text.slice(at + KEY.length, -1);
  const isPlain = !quoted.includes('\\');
  return { jobId, wait, key: isPlain ? quoted.slice(1, -1) : (JSON.parse(quoted) as string) };
}

const STORED: Readonly<Record<LabelForm, Stored>> = {
  text: { write: (text) => text as string, read: (text) => text },
  uuid: {
    write: (id) => bytesToStore(id as string),
    read: (bytes) => uuidOfBytes(bytes as Uint8Array),
  },
  parentKind: {
    write: (kind) => parentCode(kind as ParentKind),
    read: (code) => PARENT_KINDS[(code as number) - 1],
  },
  awaitedBy: {
    write: (place) => awaitedByText(place as AwaitedBy),
    read: (json) => awaitedByOf(json as JsonText),
  },
};

const LABELS = LABEL_NAMES.map((name) => ({ name, stored: STORED[LABEL_FORMS[name]] }));

/** A column of `facts` a label. */
export const LABEL_COLUMNS: readonly string[] = LABEL_NAMES.map(columnOf);

/** Adds the stored forms of a job's labels, in the order of their columns. */
export function pushLabels(values: SQLInputValue[], job: Partial<JobLabels>): void {
  for (const { name, stored } of LABELS) {
    const value = job[name] ?? null;
    values.push(value === null ? null : stored.write(value));
  }
}

/** The labels in a row that has their columns from `start` on. */
export function labelsOf(row: readonly SQLOutputValue[], start: number): JobLabels {
  const labels: Record<string, unknown> = {};
  for (const [at, { name, stored }] of LABELS.entries()) {
    const value = row[start + at]!;
    labels[name] = value === null ? null : stored.read(value);
  }
  return labels as unknown as JobLabels;
}
