import { type Job, type JsonSchema, PawlError } from 'pawl/define';
import {
  definitionOf,
  type Engine,
  mayExecute,
  type PluginHost,
  SHARED_TENANT,
  type TypeDefinition,
  wholeResult,
} from 'pawl/plugin';
import type { ProcessDescription } from '../model/process-description.ts';
import type {
  OutputValue,
  PreparedJob,
  ProcessCaller,
  ProcessResults,
  ProcessSource,
} from '../model/process-source.ts';
import { statusInfoOf } from '../model/status-info.ts';
import { describeType, propertiesOf, type PublishedType, WHOLE_RESULT } from './own-description.ts';
import { ownInput } from './own-inputs.ts';

export type OwnProcessDependencies = Pick<
  PluginHost,
  'engine' | 'artifacts' | 'linkedArtifacts' | 'http' | 'wake'
>;

/** Pawl's own types as processes: those whose definition says so, whoever works on them. */
export function ownProcesses(deps: OwnProcessDependencies): ProcessSource {
  return {
    owns: async (type, tenant) => (await exposureOf(deps.engine, { tenant, type })) !== null,
    list: (caller) => listOwn(deps.engine, caller),
    describe: async (caller, id) => {
      const found = await exposureFor(deps.engine, caller, id);
      return found && descriptionOf(deps.engine, id, found);
    },
    prepare: async (caller, id, { inputs = {} }): Promise<PreparedJob | null> => {
      const found = await exposureFor(deps.engine, caller, id);
      if (found === null) return null;
      return { type: id, input: await ownInput(published(found), inputs, deps.http) };
    },
    wake: () => deps.wake(),
    status: (job, base) => statusInfoOf(job, { base }),
    results: async (_caller, job) => {
      const found = await exposureOf(deps.engine, job);
      return resultsOf(deps, job, found?.expose?.result);
    },
  };
}

/** Null also for a type that is not published for the caller; none is for guests. */
async function exposureFor(
  engine: Engine,
  caller: ProcessCaller,
  type: string,
): Promise<TypeDefinition | null> {
  const found = await exposureOf(engine, { tenant: caller.tenant, type });
  return mayExecute(caller, found?.expose ?? {}) ? found : null;
}

/** Null for a type that is not published, or not known. */
async function exposureOf(
  engine: Engine,
  named: { tenant: string; type: string },
): Promise<TypeDefinition | null> {
  const definition = await typeOf(engine, named);
  return definition?.expose === undefined ? null : definition;
}

/** Null for a type that is not known. */
export async function typeOf(
  { registry }: Engine,
  { tenant, type }: { tenant: string; type: string },
): Promise<TypeDefinition | null> {
  try {
    return definitionOf(await registry.type(tenant, type));
  } catch (error) {
    if (error instanceof PawlError && error.code === 'UNKNOWN_TYPE') return null;
    throw error;
  }
}

/** What is published of a type's input: nothing that takes anything where it takes none. */
export function published({ expose = {}, inputSchema }: TypeDefinition): PublishedType {
  return inputSchema === false ? { ...expose, input: false } : { ...expose };
}

async function listOwn(engine: Engine, caller: ProcessCaller): Promise<ProcessDescription[]> {
  const { types } = engine;
  const own = await types.list(caller.tenant);
  const names = new Set(own.map(({ type }) => type));
  const shared = (await types.list(SHARED_TENANT)).filter(({ type }) => !names.has(type));
  return [...own, ...shared].flatMap((record) => {
    const definition = definitionOf(record);
    const { expose } = definition;
    if (expose === undefined || !mayExecute(caller, expose)) return [];
    return [descriptionOf(engine, record.type, definition)];
  });
}

/** A type as a process, in the words of its publication or in others. */
export function descriptionOf(
  engine: Engine,
  type: string,
  definition: TypeDefinition,
  words: PublishedType = published(definition),
): ProcessDescription {
  const lifecycle = engine.registry.newest(definition.lifecycle);
  const canCancel = lifecycle?.places.some(({ phase }) => phase === 'cancelled') ?? false;
  return describeType(type, words, { canCancel });
}

/** A job's result as outputs: by the members that a schema names, or as a whole. */
export async function resultsOf(
  deps: OwnProcessDependencies,
  job: Job,
  schema: JsonSchema | undefined,
): Promise<ProcessResults> {
  const json = await wholeResult(deps.artifacts, job);
  const value = JSON.parse(json) as unknown;
  const properties = propertiesOf(schema);
  if (properties !== null && typeof value === 'object' && value !== null) {
    const members = value as Readonly<Record<string, unknown>>;
    const there = Object.entries(properties).filter(([name]) => members[name] !== undefined);
    const outputs = there.map(([name, schema]) => [name, outputOf(members[name], schema)]);
    return { kind: 'outputs', outputs: Object.fromEntries(outputs) as Record<string, OutputValue> };
  }
  if (value !== null) return { kind: 'outputs', outputs: { [WHOLE_RESULT]: { value } } };
  return { kind: 'outputs', outputs: await artifactOutputs(deps, job) };
}

/** Bytes travel in JSON as base64, and as themselves where nothing else is asked for. */
function outputOf(value: unknown, schema: Readonly<Record<string, unknown>>): OutputValue {
  const { contentMediaType: mediaType, contentEncoding: encoding } = schema;
  if (typeof mediaType !== 'string') return { value };
  const isBytes = encoding === 'base64' && typeof value === 'string';
  return { value: isBytes ? Buffer.from(value, 'base64') : value, mediaType };
}

/** A job that gave nothing but files: each is an output by reference, under its own name. */
async function artifactOutputs(
  { linkedArtifacts }: OwnProcessDependencies,
  job: Job,
): Promise<Record<string, OutputValue>> {
  const files = await linkedArtifacts(job);
  if (files.length === 0) return { [WHOLE_RESULT]: { value: null } };
  const outputs = files.map(({ name, url, contentType }) => {
    return [name, { value: null, href: url, mediaType: contentType }];
  });
  return Object.fromEntries(outputs) as Record<string, OutputValue>;
}
