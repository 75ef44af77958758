import { createReadStream } from 'node:fs';
import {
  defineJob,
  fail,
  type Job,
  type JobDefinition,
  type JobError,
  type RunContext,
  typed,
} from 'pawl/define';
import { FeatureFault, type Feature, readFeatures } from '../features/feature-collection.ts';
import { GEOPACKAGE_TYPE, withGeoPackage } from '../features/geopackage.ts';
import { type PostgisDestination, type WrittenTable, writePostgis } from '../features/postgis.ts';
import { type Delivery, DELIVERY_TYPE, type DeliveryInput, destinationOf } from './delivery.ts';
import { PART_MARK } from './delivery.ts';
import { valuesIn } from './delivered-values.ts';
import { type OgcDependencies, sourceOf } from './dependencies.ts';

/** An output as it was delivered. */
export type DeliveredOutput =
  | { readonly kind: 'file'; readonly artifact: string; readonly size: number }
  | { readonly kind: 'table'; readonly table: WrittenTable };

export interface DeliveryResult {
  /** The job that executed the process. */
  readonly execution: string;
  readonly outputs: Readonly<Record<string, DeliveredOutput>>;
}

export interface DeliveryDependencies extends Pick<OgcDependencies, 'engine' | 'sources'> {
  /** Null: features are delivered to no database. */
  readonly postgis: PostgisDestination | null;
}

const RETRY = {
  maxAttempts: 8,
  backoff: { base: '2s', factor: 3, max: '10m', jitter: 'equal' },
  // How an execution ended is not to be tried again: it would be found as it is.
  retryable: ['TransientError'],
} as const;

/** The job that has a process executed, and then writes its features where they were asked for. */
export function deliveryJob(deps: DeliveryDependencies): JobDefinition {
  return defineJob(DELIVERY_TYPE, {
    input: typed<DeliveryInput>(),
    ...RETRY,
    dlq: 'never',
    run: (run) => deliver(deps, run),
  });
}

async function deliver(
  deps: DeliveryDependencies,
  run: RunContext<DeliveryInput>,
): Promise<DeliveryResult> {
  const { execution, deliveries } = run.input;
  const { type, input, metadata } = execution;
  const executed = defineJob(type, { input: typed<unknown>(), run: () => null });
  const child = await run.call('execution', executed, input, {
    metadata: { ...metadata, [PART_MARK]: true },
    onFailure: 'collect',
  });
  if (!child.ok) throw failureOf(child.error);
  const values = await valuesOf(deps, run, child.id);
  const outputs: Record<string, DeliveredOutput> = {};
  for (const [id, delivery] of Object.entries(deliveries)) {
    const features = featuresIn(values[id], id);
    outputs[id] = await write({ deps, run, id }, delivery, features);
  }
  return { execution: child.id, outputs };
}

/** The execution's own error, so that the job says what a job without delivery would say. */
function failureOf(error: JobError | null): Error {
  if (error === null) return fail('cancelled', 'the execution was dismissed');
  const { class: name, message, code, details } = error;
  return fail(name, message, { ...(code === null ? {} : { code }), details });
}

async function valuesOf(
  deps: DeliveryDependencies,
  { job: { tenant, requestedBy: principal }, input: { deliveries } }: RunContext<DeliveryInput>,
  id: string,
): Promise<Readonly<Record<string, unknown>>> {
  const [job] = await deps.engine.find([{ tenant, id }]);
  const source = job ? await sourceOf(deps, job) : null;
  if (!job || source === null) {
    throw fail('internal_bug', `the execution ${id} is not there any more`);
  }
  const caller = { tenant, principal, groups: [], reach: 'tenant' as const };
  return valuesIn(await source.results(caller, job, ''), Object.keys(deliveries));
}

function featuresIn(value: unknown, id: string): Feature[] {
  try {
    return readFeatures(value);
  } catch (error) {
    if (!(error instanceof FeatureFault)) throw error;
    const message = `the output "${id}" cannot be delivered as features: it ${error.message}`;
    throw fail('unsupported_format', message, { code: 'NO_FEATURES' });
  }
}

interface Writing {
  readonly deps: DeliveryDependencies;
  readonly run: RunContext<DeliveryInput>;
  readonly id: string;
}

async function write(
  { deps, run, id }: Writing,
  delivery: Delivery,
  features: readonly Feature[],
): Promise<DeliveredOutput> {
  if (delivery.kind === 'geopackage') {
    const table = { table: id, features, at: new Date(run.job.createdAt) };
    return withGeoPackage(table, async ({ path }) => {
      const name = `${fileName(id)}.gpkg`;
      const content = createReadStream(path) as AsyncIterable<Uint8Array>;
      const kept = await run.artifact(name, content, { contentType: GEOPACKAGE_TYPE });
      return { kind: 'file', artifact: kept.id, size: kept.size };
    });
  }
  const { postgis } = deps;
  if (postgis === null) {
    const message = 'features are delivered to no database here: set PAWL_OGC_POSTGIS_URL';
    throw fail('configuration_error', message);
  }
  const { table } = delivery;
  const wish = { table, jobId: run.job.id, output: id, features };
  const written = await writePostgis(destinationOf(postgis, run.job.tenant), wish);
  return { kind: 'table', table: written };
}

/** Ids of outputs are their author's; names of files are plain. */
function fileName(id: string): string {
  return id.replaceAll(/[^\w.-]/g, '_').slice(0, 80) || 'features';
}

/** Whether a job is part of a delivery: clients are shown the delivery instead. */
export function isPart({ metadata }: Pick<Job, 'metadata'>): boolean {
  return metadata?.includes(`"${PART_MARK}":true`) === true;
}
