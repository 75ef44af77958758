import { createRequire } from 'node:module';
import type { Static, TSchema } from 'typebox';
import type * as Compiler from 'typebox/compile';
import type { JsonSchema } from './exposure.ts';
import type { Schema } from './schema.ts';

/** Hundreds of modules and much memory: loaded for the first who has such a schema. */
function compiler(): typeof Compiler {
  return createRequire(import.meta.url)('typebox/compile') as typeof Compiler;
}

/** Makes a TypeBox schema usable for a job; TypeBox does not implement Standard Schema. */
export function fromTypebox<Shape extends TSchema>(shape: Shape): Schema<Static<Shape>> {
  const compiled = compiler().Compile(shape);
  const plain = JSON.parse(JSON.stringify(shape)) as JsonSchema;
  return {
    '~standard': {
      version: 1,
      vendor: 'typebox',
      validate: (value) =>
        compiled.Check(value) ? { value } : { issues: distinct(compiled.Errors(value)) },
      // Which is what they are already.
      jsonSchema: { input: () => plain, output: () => plain },
    },
  } as Schema<Static<Shape>>;
}

type Finding = ReturnType<ReturnType<typeof Compiler.Compile>['Errors']>[number];

interface Issue {
  readonly message: string;
  readonly path: readonly string[];
}

const NOT_KNOWN = 'is not known';

/** A member too many is found twice: by its object, and by the schema that is false for it. */
function distinct(findings: readonly Finding[]): Issue[] {
  const issues = findings.flatMap(issuesOf);
  return [...new Map(issues.map((issue) => [JSON.stringify(issue), issue])).values()];
}

/** Members that are missing, or too many, are named by their own paths, not by their object's. */
function issuesOf(finding: Finding): Issue[] {
  const { instancePath, keyword, message, params } = finding;
  const path = instancePath.split('/').slice(1).map(unescaped);
  const named = params as { requiredProperties?: string[]; additionalProperties?: string[] };
  const missing = named.requiredProperties ?? [];
  const surplus = named.additionalProperties ?? [];
  if (keyword === 'boolean') return [{ message: NOT_KNOWN, path }];
  if (missing.length + surplus.length === 0) return [{ message, path }];
  return [
    ...missing.map((name) => ({ message: 'is required', path: [...path, name] })),
    ...surplus.map((name) => ({ message: NOT_KNOWN, path: [...path, name] })),
  ];
}

function unescaped(part: string): string {
  return part.replaceAll('~1', '/').replaceAll('~0', '~');
}
