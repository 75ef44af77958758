import type { ApiClient } from 'pawl/client';
import type { TypeJson } from 'pawl/plugin';

/** The types of the platform that jobs are moved to, by name. */
export type TypesHere = ReadonlyMap<string, Pick<TypeJson, 'retry' | 'inputSchema'>>;

export async function typesHere(client: ApiClient): Promise<TypesHere> {
  const types = await client.all<TypeJson>('/v1/types');
  return new Map(types.map((one) => [one.type, one]));
}

/** Elsewhere a job without arguments has an empty object; here one that takes no input has none. */
export function inputHere(here: TypesHere, type: string, input: unknown): unknown {
  const isEmpty =
    typeof input === 'object' &&
    input !== null &&
    !Array.isArray(input) &&
    Object.keys(input).length === 0;
  return isEmpty && here.get(type)?.inputSchema === false ? null : input;
}
