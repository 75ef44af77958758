import type { Fault } from '../core/errors.ts';
import type { Schema } from './schema.ts';

/**
 * A schema with an additional rule that JSON Schema expresses poorly, such as "either this or
 * that".
 */
export function refined<Value>(
  schema: Schema<Value>,
  faultsOf: (value: Value) => readonly Fault[],
): Schema<Value> {
  const inner = schema['~standard'];
  return {
    '~standard': {
      ...inner,
      validate: async (given) => {
        const result = await inner.validate(given);
        if (result.issues !== undefined) return result;
        const faults = faultsOf(result.value);
        if (faults.length === 0) return result;
        return {
          issues: faults.map(({ pointer, message }) => ({
            message,
            path: pointer.split('/').slice(1),
          })),
        };
      },
    },
  };
}

/** A fault unless exactly one of some members is given. */
export function exactlyOne<Value extends object>(
  value: Value,
  members: readonly (keyof Value & string)[],
): Fault[] {
  const given = members.filter((member) => value[member] !== undefined);
  if (given.length === 1) return [];
  const message = `exactly one of ${members.join(', ')} is needed`;
  return [{ pointer: given[1] === undefined ? '' : `/${given[1]}`, message }];
}
