import { type Job, PawlError } from 'pawl/define';
import { type Artifacts, type Engine, wholeResult } from 'pawl/plugin';
import { GEOPACKAGE_TYPE } from '../features/geopackage.ts';
import { POSTGIS_TYPE } from '../features/postgis.ts';
import type {
  OutputValue,
  ProcessCaller,
  ProcessResults,
  ProcessSource,
} from '../model/process-source.ts';
import { statusInfoOf } from '../model/status-info.ts';
import { DELIVERY_TYPE, type DeliveryInput } from './delivery.ts';
import type { DeliveredOutput, DeliveryResult } from './delivery-job.ts';
import { valuesIn } from './delivered-values.ts';
import { recordIn } from './execution-record.ts';

export interface DeliveredDependencies {
  readonly engine: Engine;
  readonly artifacts: Artifacts;
  /** Where the processes come from whose outputs are delivered. */
  readonly others: readonly ProcessSource[];
  readonly wake: () => void;
}

/** Jobs that deliver outputs: they have no processes of their own, only jobs to be told of. */
export function deliveredProcesses(deps: DeliveredDependencies): ProcessSource {
  return {
    owns: (type) => type === DELIVERY_TYPE,
    list: async () => [],
    describe: async () => null,
    prepare: async () => null,
    isRemote: (job) => {
      const { execution } = JSON.parse(job.input) as Partial<DeliveryInput>;
      const { type = '' } = execution ?? {};
      return deps.others.some((one) => one.isTakenOn !== undefined && one.owns(type, '') === true);
    },
    wake: deps.wake,
    status: (job, base) => statusInfoOf(job, { base, processID: processIdOf(job) }),
    results: (caller, job, base) => resultsOf(deps, caller, { job, base }),
  };
}

function processIdOf({ metadata, type }: Job): string {
  const { processID = type } = JSON.parse(metadata ?? '{}') as { processID?: string };
  return processID;
}

async function resultsOf(
  deps: DeliveredDependencies,
  caller: ProcessCaller,
  { job, base }: { job: Job; base: string },
): Promise<ProcessResults> {
  const json = await wholeResult(deps.artifacts, job);
  const { execution, outputs: delivered } = JSON.parse(json) as DeliveryResult;
  const asked = Object.keys(recordIn(job)?.outputs ?? {});
  const others = asked.filter((id) => !Object.hasOwn(delivered, id));
  const plain =
    others.length === 0 ? {} : await plainOutputs(deps, caller, { execution, others, base });
  const told = await Promise.all(
    Object.entries(delivered).map(async ([id, one]) => {
      return [id, await outputOf(deps, caller, one)] as const;
    }),
  );
  return { kind: 'outputs', outputs: { ...plain, ...Object.fromEntries(told) } };
}

/** Outputs of the same execution that were asked for as they are. */
async function plainOutputs(
  { engine, others: sources }: DeliveredDependencies,
  caller: ProcessCaller,
  { execution, others, base }: { execution: string; others: readonly string[]; base: string },
): Promise<Record<string, OutputValue>> {
  const [job] = await engine.find([{ tenant: caller.tenant, id: execution }]);
  for (const source of job ? sources : []) {
    const isIts = source.hasPrepared?.(job!) ?? (await source.owns(job!.type, job!.tenant));
    if (!isIts) continue;
    const results = await source.results(caller, job!, base);
    if (results.kind === 'outputs') return { ...results.outputs };
    const values = await valuesIn(results, others);
    return Object.fromEntries(Object.entries(values).map(([id, value]) => [id, { value }]));
  }
  throw new PawlError('NOT_FOUND', `the execution ${execution} is no longer stored`);
}

async function outputOf(
  { artifacts }: DeliveredDependencies,
  { tenant }: ProcessCaller,
  delivered: DeliveredOutput,
): Promise<OutputValue> {
  if (delivered.kind === 'table') return { value: delivered.table, mediaType: POSTGIS_TYPE };
  const { artifact: id, size } = delivered;
  async function* body(): AsyncGenerator<Uint8Array> {
    yield* await artifacts.open(await artifacts.find({ tenant, id }));
  }
  return { value: null, mediaType: GEOPACKAGE_TYPE, file: { body: body(), size } };
}
