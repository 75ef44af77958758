import type { StandardSchemaV1 } from '@standard-schema/spec';
import { type Fault, invalid } from '../core/errors.ts';

/** Any schema of any library that speaks Standard Schema, by what goes in and what comes out. */
export type Schema<Raw = unknown, Value = Raw> = StandardSchemaV1<Raw, Value>;

export type RawOf<Of extends Schema> = StandardSchemaV1.InferInput<Of>;
export type ValueOf<Of extends Schema> = StandardSchemaV1.InferOutput<Of>;

export type Checked<Value> =
  | { readonly value: Value }
  | { readonly faults: readonly [Fault, ...Fault[]] };

/** A type without a check, where the input is known to be right. */
export function trusted<Value>(): Schema<Value> {
  return {
    '~standard': { version: 1, vendor: 'pawl', validate: (value) => ({ value: value as Value }) },
  };
}

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

/** Throws VALIDATION_ERROR with the path of every fault where an input does not fit its job. */
export async function checkInput(
  job: { readonly input: Schema | null },
  input: unknown,
): Promise<void> {
  const checked = await check(job.input, input);
  if ('value' in checked) return;
  throw invalid(checked.faults.map((one) => ({ ...one, pointer: `/input${one.pointer}` })));
}

function faultOf(issue: StandardSchemaV1.Issue): Fault {
  const keys = (issue.path ?? []).map((part) => (typeof part === 'object' ? part.key : part));
  const escaped = keys.map((key) => String(key).replaceAll('~', '~0').replaceAll('/', '~1'));
  return { pointer: escaped.map((key) => `/${key}`).join(''), message: issue.message };
}
