import type { Exposure, JsonSchema } from 'pawl/define';
import type { ProcessDescription, ProcessMember } from '../model/process-description.ts';
import { openApiSchemaOf } from './openapi-schema.ts';

/** The id of the one input or output of a type whose schema names none. */
export const WHOLE_INPUT = 'input';
export const WHOLE_RESULT = 'result';

const ANYTHING: JsonSchema = { type: 'object', additionalProperties: true };

/** A type's publication, with false for the input of one that takes none. */
export interface PublishedType extends Omit<Exposure, 'input'> {
  readonly input?: JsonSchema | false;
}

type Properties = Readonly<Record<string, JsonSchema>>;

/** The members of an object by name; null where the schema is of anything else. */
export function propertiesOf(schema: JsonSchema | undefined): Properties | null {
  const properties = schema?.['properties'] as Properties | undefined;
  if (schema?.['type'] !== 'object' || properties === undefined) return null;
  return Object.keys(properties).length === 0 ? null : properties;
}

/** A published type as a process: each member of its input and result by its own name. */
export function describeType(
  type: string,
  exposure: PublishedType,
  { canCancel }: { canCancel: boolean },
): ProcessDescription {
  const { title = type, description, version = '1.0.0', keywords } = exposure;
  return {
    id: type,
    title,
    ...(description === undefined ? {} : { description }),
    version,
    ...(keywords === undefined ? {} : { keywords }),
    jobControlOptions: ['sync-execute', 'async-execute', ...(canCancel ? ['dismiss'] : [])],
    outputTransmission: ['value', 'reference'],
    inputs: inputsOf(exposure.input),
    outputs: outputsOf(exposure.result),
  };
}

function inputsOf(schema: JsonSchema | false | undefined): Record<string, ProcessMember> {
  if (schema === false) return {};
  const properties = propertiesOf(schema);
  if (properties === null) {
    const minOccurs = schema === undefined ? 0 : 1;
    const member = memberOf(WHOLE_INPUT, schema ?? ANYTHING, schema ?? ANYTHING);
    return { [WHOLE_INPUT]: { ...member, minOccurs, maxOccurs: 1 } };
  }
  const required = (schema!['required'] ?? []) as readonly string[];
  const members = Object.entries(properties).map(([name, one]) => {
    const minOccurs = required.includes(name) ? 1 : 0;
    return [name, { ...memberOf(name, one, schema!), minOccurs, maxOccurs: 1 }];
  });
  return Object.fromEntries(members) as Record<string, ProcessMember>;
}

function outputsOf(schema: JsonSchema | undefined): Record<string, ProcessMember> {
  const properties = propertiesOf(schema);
  if (properties === null) {
    return { [WHOLE_RESULT]: memberOf(WHOLE_RESULT, schema ?? ANYTHING, schema ?? ANYTHING) };
  }
  const members = Object.entries(properties).map(([name, one]) => {
    return [name, memberOf(name, one, schema!)];
  });
  return Object.fromEntries(members) as Record<string, ProcessMember>;
}

/** Titles and descriptions are said beside the schema, not twice. */
function memberOf(name: string, schema: JsonSchema, root: JsonSchema): ProcessMember {
  const { title = name, description, ...rest } = openApiSchemaOf(schema, root);
  return {
    title: String(title),
    ...(typeof description === 'string' ? { description } : {}),
    schema: rest,
  };
}
