import { type TString, Type } from 'typebox';

/** The id of an artifact, as inputs name one. */
export function artifactId(description: string): TString {
  return Type.String({ pattern: '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$', description });
}
