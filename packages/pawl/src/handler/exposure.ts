import type { StandardJSONSchemaV1 } from '@standard-schema/spec';
import type { Schema } from './schema.ts';

/** A JSON Schema, with the members that are read outside the validator. */
export type JsonSchema = Readonly<Record<string, unknown>>;

/** What a process says of itself to clients of OGC API – Processes. */
export interface ExposeText {
  readonly title?: string;
  readonly description?: string;
  readonly version?: string;
  readonly keywords?: readonly string[];
  /** Which groups of users may see and execute it. Default: all users of the tenant. */
  readonly groups?: readonly string[];
}

/** A type that is published as an OGC process: its texts and schemas. */
export interface Exposure extends ExposeText {
  readonly input?: JsonSchema;
  readonly result?: JsonSchema;
}

/** What a type's definition says of its publication; nothing where it is not published. */
export function exposureOf(
  expose: boolean | ExposeText | undefined,
  schemas: { readonly input: Schema | null; readonly result: Schema | null },
): { readonly expose?: Exposure } {
  if (expose === undefined || expose === false) return {};
  const input = jsonSchemaOf(schemas.input, 'input');
  const result = jsonSchemaOf(schemas.result, 'output');
  return {
    expose: {
      ...(expose === true ? {} : expose),
      ...(input === null ? {} : { input }),
      ...(result === null ? {} : { result }),
    },
  };
}

/** Null where the schema's library cannot say it as JSON Schema. */
export function jsonSchemaOf(schema: Schema | null, side: 'input' | 'output'): JsonSchema | null {
  const { jsonSchema } = (schema?.['~standard'] ?? {}) as Partial<StandardJSONSchemaV1.Props>;
  try {
    return jsonSchema?.[side]({ target: 'draft-2020-12' }) ?? null;
  } catch {
    // A transformation or a date, say: such a schema checks values and describes none.
    return null;
  }
}
