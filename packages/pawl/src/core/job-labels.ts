/**
 * How a job came from its parent: run again, replayed from a dead letter, made to undo it, or
 * linked by whoever enqueued it.
 */
export const PARENT_KINDS = ['rerun', 'replay', 'compensation', 'caller'] as const;

export type ParentKind = (typeof PARENT_KINDS)[number];

/** The wait that a job was started for, by a turn of the job that waits. */
export interface AwaitedBy {
  readonly jobId: string;
  readonly wait: string;
  /** The job's name within the wait. */
  readonly key: string;
}

/** What is said of a job when it is made and never changes afterwards. */
export interface JobLabels {
  /** Groups jobs and requests that belong together; by default the job's own id. */
  readonly correlationId: string | null;
  readonly traceId: string | null;
  readonly requestedBy: string | null;
  /** Whose limits it counts under; null: those of `requestedBy`. */
  readonly limitKey: string | null;
  readonly documentId: string | null;
  /** The job that this one belongs to. */
  readonly parentJobId: string | null;
  /** Null without a parent. */
  readonly parentKind: ParentKind | null;
  /** Its place in a tree; null for a root and for every job outside of trees. */
  readonly awaitedBy: AwaitedBy | null;
}

export type LabelName = keyof JobLabels;

/** What a label holds, which is how the databases store it. */
export type LabelForm = 'text' | 'uuid' | 'parentKind' | 'awaitedBy';

/**
 * The one table of labels, in the order of the columns of `facts` on PostgreSQL. Rows of both
 * databases, their SQL, snapshots, requests and answers are made from it: a new label is a member
 * above, a row here, a column in `tables.sql` of both databases, and a schema in the contract.
 */
export const LABEL_FORMS = {
  correlationId: 'text',
  traceId: 'text',
  requestedBy: 'text',
  limitKey: 'text',
  documentId: 'text',
  parentJobId: 'uuid',
  parentKind: 'parentKind',
  awaitedBy: 'awaitedBy',
} as const satisfies Readonly<Record<LabelName, LabelForm>>;

export const LABEL_NAMES = Object.keys(LABEL_FORMS) as readonly LabelName[];

/** The labels that a caller may give with a request; the engine gives the others. */
export const REQUEST_LABELS = [
  'correlationId',
  'limitKey',
  'documentId',
  'parentJobId',
] as const satisfies readonly LabelName[];

export type RequestLabel = (typeof REQUEST_LABELS)[number];

/** The labels of a request: as texts, and left out where there is none. */
export type RequestLabels = { readonly [Name in RequestLabel]?: NonNullable<JobLabels[Name]> };

/** The labels in something that may leave some out. */
export function labelsIn(given: Partial<JobLabels>): JobLabels {
  const labels = {} as Record<LabelName, unknown>;
  for (const name of LABEL_NAMES) labels[name] = given[name] ?? null;
  return labels as unknown as JobLabels;
}

/** The labels that a request gives. */
export function requestedLabels(request: RequestLabels): RequestLabels {
  const labels: Partial<Record<RequestLabel, string>> = {};
  for (const name of REQUEST_LABELS) {
    const value = request[name];
    if (value !== undefined) labels[name] = value;
  }
  return labels;
}

/** The column of a label: `documentId` is kept in `document_id`. */
export function columnOf(name: string): string {
  return name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}
