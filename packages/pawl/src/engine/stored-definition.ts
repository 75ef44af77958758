import { isSealed } from '../codec/sealed.ts';
import { type Fault, invalid } from '../core/errors.ts';
import { NO_INPUT_FAULT } from '../handler/schema.ts';
import type { TypeRecord } from '../records/job-types.ts';
import type { TypeDefinition } from './define-type.ts';

/** Records are looked at with every job, and stay the same for a while. */
const definitions: WeakMap<TypeRecord, TypeDefinition> = new WeakMap();

/** The stored definition of a type. */
export function definitionOf(record: TypeRecord): TypeDefinition {
  const known = definitions.get(record);
  if (known !== undefined) return known;
  const definition = JSON.parse(record.definition) as TypeDefinition;
  definitions.set(record, definition);
  return definition;
}

export function takesInput(record: TypeRecord): boolean {
  return definitionOf(record).inputSchema !== false;
}

/** An encrypted input may be an encrypted nothing: only the worker can tell. */
export function checkNoInput(input: unknown, pointer: string = '/input'): Fault[] {
  if (input === undefined || input === null) return [];
  if (typeof input === 'string' && isSealed(JSON.stringify(input))) return [];
  return [{ pointer, message: NO_INPUT_FAULT }];
}

/** Throws VALIDATION_ERROR for an input of a job that takes none. */
export function refuseInput(input: unknown): void {
  const faults = checkNoInput(input);
  if (faults.length > 0) throw invalid(faults);
}
