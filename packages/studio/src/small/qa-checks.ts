import { isDeepStrictEqual } from 'node:util';
import { runInNewContext } from 'node:vm';
import { type Static, Type } from 'typebox';
import { Errors } from 'typebox/schema';
import { ValidationError } from 'pawl/define';

const Path = Type.String({
  pattern: '^(/[^/]*)*$',
  maxLength: 1_000,
  description: 'JSON pointer.',
});

function check<Kind extends string, Members extends Parameters<typeof Type.Object>[0]>(
  kind: Kind,
  members: Members,
) {
  const properties = { kind: Type.Literal(kind), path: Path, ...members };
  return Type.Object(properties, { additionalProperties: false });
}

/** What can be asked of a value at a path. */
export const CheckSchema = Type.Union([
  check('required', {}),
  check('equals', { value: Type.Unknown() }),
  check('threshold', { min: Type.Optional(Type.Number()), max: Type.Optional(Type.Number()) }),
  check('pattern', { pattern: Type.String({ minLength: 1, maxLength: 500 }) }),
  check('schema', { schema: Type.Record(Type.String(), Type.Unknown()) }),
]);

export const FindingSchema = Type.Object({
  kind: Type.String(),
  path: Type.String(),
  passed: Type.Boolean(),
  message: Type.String(),
});

export type Check = Static<typeof CheckSchema>;
export type Finding = Static<typeof FindingSchema>;

const CHECKS_MS_MAX = 250;
const TEXT_LENGTH_MAX = 100_000;

/** One finding a check, in their order. Patterns can take for ever, so all have a time together. */
export function runChecks(result: unknown, checks: readonly Check[]): Finding[] {
  const run = (): Finding[] => checks.map((one) => findingOf(one, valueAt(result, one.path)));
  try {
    return runInNewContext('run()', { run }, { timeout: CHECKS_MS_MAX }) as Finding[];
  } catch (error) {
    if ((error as { code?: unknown }).code !== 'ERR_SCRIPT_EXECUTION_TIMEOUT') throw error;
    const message = `the checks took longer than ${CHECKS_MS_MAX} ms: use simpler patterns`;
    throw new ValidationError(message, { code: 'QA_TOO_SLOW' });
  }
}

function findingOf(one: Check, value: unknown): Finding {
  const fault = value === undefined ? 'is missing' : faultOf(one, value);
  return {
    kind: one.kind,
    path: one.path,
    passed: fault === null,
    message: fault ?? 'is as wanted',
  };
}

/** What is wrong with a value that is there; null where nothing is. */
function faultOf(one: Check, value: unknown): string | null {
  switch (one.kind) {
    case 'required':
      return null;
    case 'equals':
      return isDeepStrictEqual(value, one.value) ? null : `is not ${JSON.stringify(one.value)}`;
    case 'threshold':
      return thresholdFault(one, value);
    case 'pattern':
      return patternFault(one.pattern, value);
    case 'schema': {
      const [isFit, errors] = Errors(one.schema, value);
      const first = errors[0];
      return isFit ? null : `${first?.instancePath || 'it'} ${first?.message ?? 'does not fit'}`;
    }
  }
}

function thresholdFault(
  { min, max }: { min?: number; max?: number },
  value: unknown,
): string | null {
  const number = Array.isArray(value) ? value.length : value;
  if (typeof number !== 'number') return 'is neither a number nor a list';
  if (min !== undefined && number < min) return `is ${number}, less than ${min}`;
  return max !== undefined && number > max ? `is ${number}, more than ${max}` : null;
}

function patternFault(pattern: string, value: unknown): string | null {
  if (typeof value !== 'string') return 'is not a text';
  if (value.length > TEXT_LENGTH_MAX) return `is longer than ${TEXT_LENGTH_MAX} characters`;
  let compiled: RegExp;
  try {
    compiled = new RegExp(pattern, 'u');
  } catch (error) {
    throw new ValidationError((error as Error).message, { code: 'QA_BAD_PATTERN' });
  }
  return compiled.test(value) ? null : `does not match ${pattern}`;
}

/** By JSON pointer; undefined where there is nothing. */
function valueAt(value: unknown, path: string): unknown {
  let at: unknown = value;
  for (const part of path.split('/').slice(1)) {
    const key = part.replaceAll('~1', '/').replaceAll('~0', '~');
    if (typeof at !== 'object' || at === null || !Object.hasOwn(at, key)) return undefined;
    at = (at as Record<string, unknown>)[key];
  }
  return at;
}
