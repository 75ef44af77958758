import type { Job, JsonSchema } from 'pawl/define';
import { mayExecute, type TypeDefinition } from 'pawl/plugin';
import type { ProcessDescription, ProcessSummary } from '../model/process-description.ts';
import type {
  ExecuteRequest,
  PreparedJob,
  ProcessCaller,
  ProcessResults,
  ProcessSource,
} from '../model/process-source.ts';
import { statusInfoOf } from '../model/status-info.ts';
import { schemaOfMembers } from './app-package.ts';
import type { DeployedProcess, DeployedRecords } from './deployed-records.ts';
import { propertiesOf, type PublishedType } from './own-description.ts';
import { ownInput } from './own-inputs.ts';
import {
  descriptionOf,
  type OwnProcessDependencies,
  published,
  resultsOf,
  typeOf,
} from './own-processes.ts';

/** What a job remembers of the deployed process that it executes: it may be gone meanwhile. */
interface DeployedMark {
  readonly processID: string;
  /** How the outputs are read from the result. */
  readonly result?: JsonSchema;
}

const MEMBER = 'ogcDeployed';

function markIn({ metadata }: Job): DeployedMark | null {
  if (metadata === null || !metadata.includes(MEMBER)) return null;
  return (JSON.parse(metadata) as Record<string, DeployedMark | undefined>)[MEMBER] ?? null;
}

export interface DeployedDependencies {
  readonly records: DeployedRecords;
  readonly own: OwnProcessDependencies;
  /** Where processes of providers come from; null: there are none. */
  readonly gateway: ProcessSource | null;
}

/**
 * Processes that were deployed by requests: jobs of a type, or a process of a provider, under a
 * name and in words of their own. A provider's jobs are those of the gateway.
 */
export function deployedProcesses(deps: DeployedDependencies): ProcessSource {
  const { records, own } = deps;
  const find = async (caller: ProcessCaller, id: string): Promise<DeployedProcess | null> => {
    const found = await records.find({ tenant: caller.tenant, id });
    return found && mayExecute(caller, found) ? found : null;
  };
  return {
    isMutable: true,
    owns: (type, tenant) => records.hasType({ tenant, type }),
    hasPrepared: (job) => markIn(job) !== null,
    list: async (caller) => {
      const all = await records.list(caller.tenant);
      const offered = await Promise.all(all.map((one) => isOffered(deps, caller, one)));
      return all.filter((_, index) => offered[index]).map(summaryOf);
    },
    describe: async (caller, id) => {
      const found = await find(caller, id);
      return found && describe(deps, caller, found);
    },
    prepare: async (caller, id, request) => {
      const found = await find(caller, id);
      return found && prepare(deps, caller, { ...found, request });
    },
    wake: () => own.wake(),
    status: (job, base) => statusInfoOf(job, { base, processID: markIn(job)!.processID }),
    results: (_caller, job): Promise<ProcessResults> => resultsOf(own, job, markIn(job)!.result),
  };
}

function summaryOf({ id, summary }: DeployedProcess): ProcessSummary {
  return { ...summary, id, version: String(summary['version']) };
}

/** A deployment opens nothing that its unit keeps closed: a type's groups hold as well. */
function isFor(caller: ProcessCaller, { expose }: TypeDefinition): boolean {
  return mayExecute(caller, expose ?? {});
}

async function isOffered(
  { own, gateway }: DeployedDependencies,
  caller: ProcessCaller,
  { unit, groups }: DeployedProcess,
): Promise<boolean> {
  if (!mayExecute(caller, { groups })) return false;
  if (unit.kind === 'remote') return gateway?.isOpenTo?.(caller, unit.processId) ?? false;
  const definition = await typeOf(own.engine, { tenant: caller.tenant, type: unit.type });
  return definition !== null && isFor(caller, definition);
}

/** Null where its unit is not there any more, or is not for the caller. */
export async function describe(
  deps: DeployedDependencies,
  caller: ProcessCaller,
  found: Pick<DeployedProcess, 'id' | 'unit' | 'summary' | 'inputs' | 'outputs'>,
): Promise<ProcessDescription | null> {
  const { id, unit, summary, inputs, outputs } = found;
  const base =
    unit.kind === 'remote'
      ? await deps.gateway?.describe(caller, unit.processId)
      : await describeJob(deps, caller, found);
  if (!base) return null;
  const { links: _, ...rest } = base;
  return {
    ...rest,
    ...summary,
    id,
    inputs: inputs ?? base.inputs,
    outputs: outputs ?? base.outputs,
  };
}

type DescribedUnit = Pick<DeployedProcess, 'unit' | 'inputs' | 'outputs'>;

async function describeJob(
  { own }: DeployedDependencies,
  caller: ProcessCaller,
  described: DescribedUnit,
): Promise<ProcessDescription | null> {
  const { type } = described.unit as Extract<DeployedProcess['unit'], { kind: 'job' }>;
  const definition = await typeOf(own.engine, { tenant: caller.tenant, type });
  if (definition === null || !isFor(caller, definition)) return null;
  return descriptionOf(own.engine, type, definition, wordsOf(definition, described));
}

/** What a job takes and gives: as the package says, else as its type is published. */
function wordsOf(
  definition: TypeDefinition,
  { inputs, outputs }: Pick<DeployedProcess, 'inputs' | 'outputs'>,
): PublishedType {
  const { result, ...words } = published(definition);
  const given = outputs === undefined ? result : schemaOfMembers(outputs) || undefined;
  return {
    ...words,
    ...(inputs === undefined ? {} : { input: schemaOfMembers(inputs) }),
    ...(given === undefined ? {} : { result: given }),
  };
}

async function prepare(
  deps: DeployedDependencies,
  caller: ProcessCaller,
  { request, ...found }: DeployedProcess & { readonly request: ExecuteRequest },
): Promise<PreparedJob | null> {
  const { own, gateway } = deps;
  const { id, unit } = found;
  if (unit.kind === 'remote') {
    // The gateway checks the inputs by what the provider says of them.
    const job = await gateway?.prepare(caller, unit.processId, request);
    return job ? { ...job, metadata: { ...job.metadata, processID: id } } : null;
  }
  const definition = await typeOf(own.engine, { tenant: caller.tenant, type: unit.type });
  if (definition === null || !isFor(caller, definition)) return null;
  const words = wordsOf(definition, found);
  const input = await ownInput(words, request.inputs ?? {}, own.http);
  const mark: DeployedMark = { processID: id, ...resultOf(words) };
  return { type: unit.type, input, metadata: { [MEMBER]: mark } };
}

/** Of the outputs a job keeps their names and what their bytes are, not all of their schemas. */
function resultOf({ result }: PublishedType): { result?: JsonSchema } {
  const properties = propertiesOf(result);
  if (properties === null) return {};
  const brief = Object.entries(properties).map(([name, schema]) => {
    const { contentMediaType, contentEncoding } = schema;
    return [name, { contentMediaType, contentEncoding }];
  });
  return { result: { type: 'object', properties: Object.fromEntries(brief) as object } };
}
