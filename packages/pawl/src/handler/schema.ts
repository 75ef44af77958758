import type { StandardSchemaV1 } from '@standard-schema/spec';
import { type Fault, invalid } from '../core/errors.ts';
import type { Json } from './json.ts';

/** A schema of any library that implements Standard Schema, by its input and output type. */
export type Schema<Raw = unknown, Value = Raw> = StandardSchemaV1<Raw, Value>;

export type RawOf<Of extends Schema> = StandardSchemaV1.InferInput<Of>;
export type ValueOf<Of extends Schema> = StandardSchemaV1.InferOutput<Of>;

/**
 * The input type of a job without input: it is enqueued without one, and its handler gets
 * undefined.
 */
export interface None {
  readonly '~none': never;
}

export type Checked<Value> =
  | { readonly value: Value }
  | { readonly faults: readonly [Fault, ...Fault[]] };

const UNCHECKED: Schema = {
  '~standard': { version: 1, vendor: 'pawl', validate: (value) => ({ value }) },
};

/** A type without a check at run time. Handlers get the value after a round trip through JSON. */
export function typed<Value>(): Schema<Value, Json<Value>> {
  return UNCHECKED as Schema<Value, Json<Value>>;
}

/** True where a schema cannot refuse anything, so that nobody needs to ask it. */
export function isUnchecked(schema: Schema): boolean {
  return schema === UNCHECKED;
}

export const NO_INPUT_FAULT = 'must be left out: jobs of this type take no input';

/** The schema of a job without an input. */
export const noInput: Schema<None, undefined> = {
  '~standard': {
    version: 1,
    vendor: 'pawl',
    validate: (value) =>
      value === null || value === undefined
        ? { value: undefined }
        : { issues: [{ message: NO_INPUT_FAULT }] },
  },
};

/** Runs a schema; without one everything fits. A promise only where the schema gives one. */
export function check<Value>(
  schema: Schema<unknown, Value> | null,
  value: unknown,
): Checked<Value> | Promise<Checked<Value>> {
  if (schema === null) return { value: value as Value };
  const result = schema['~standard'].validate(value);
  return result instanceof Promise ? result.then(checkedOf) : checkedOf(result);
}

function checkedOf<Value>(result: StandardSchemaV1.Result<Value>): Checked<Value> {
  if (result.issues === undefined) return { value: result.value };
  const [first, ...rest] = result.issues.map(faultOf);
  return { faults: [first ?? { pointer: '', message: 'does not fit' }, ...rest] };
}

/**
 * Throws VALIDATION_ERROR with the path of every fault where an input does not fit its job. A
 * promise, which rejects so, only where the schema has to be waited for.
 */
export function checkInput(job: { readonly input: Schema }, input: unknown): Promise<void> | null {
  if (isUnchecked(job.input)) return null;
  const checked = check(job.input, input);
  if (checked instanceof Promise) return checked.then(refuseInput);
  refuseInput(checked);
  return null;
}

function refuseInput(checked: Checked<unknown>): void {
  if ('value' in checked) return;
  throw invalid(checked.faults.map((one) => ({ ...one, pointer: `/input${one.pointer}` })));
}

function faultOf(issue: StandardSchemaV1.Issue): Fault {
  const keys = (issue.path ?? []).map((part) => (typeof part === 'object' ? part.key : part));
  const escaped = keys.map((key) => String(key).replaceAll('~', '~0').replaceAll('/', '~1'));
  return { pointer: escaped.map((key) => `/${key}`).join(''), message: issue.message };
}
