import { type Fault, invalid } from 'pawl/define';
import { HOME_TENANT } from 'pawl/plugin';
import { GEOPACKAGE_TYPE } from '../features/geopackage.ts';
import { POSTGIS_TYPE, type PostgisDestination, TABLE_NAME } from '../features/postgis.ts';
import type { ProcessDescription } from '../model/process-description.ts';
import type { ExecuteRequest, PreparedJob } from '../model/process-source.ts';

/** In which form the features of an output are delivered. */
export type Delivery =
  | { readonly kind: 'geopackage' }
  | { readonly kind: 'postgis'; readonly table: string };

export type Deliveries = Readonly<Record<string, Delivery>>;

/** The type of the jobs that have a process executed and deliver its outputs. */
export const DELIVERY_TYPE = 'ogc-delivery';

/** What such a job is to do: have the job executed, then deliver these outputs of it. */
export interface DeliveryInput {
  readonly execution: Pick<PreparedJob, 'type' | 'input' | 'metadata'>;
  readonly deliveries: Deliveries;
}

/** Marks an execution that is part of a delivery, which is the job that clients know. */
export const PART_MARK = 'ogcPart';

/** Where features of a tenant go; tenants beside the platform's own have schemas of their own. */
export function destinationOf(
  { url, schema }: PostgisDestination,
  tenant: string,
): PostgisDestination {
  return { url, schema: tenant === HOME_TENANT ? schema : `${schema}_${tenant}` };
}

/** Null where no output is to be delivered otherwise than as its process gives it. */
export function deliveriesIn(
  { outputs = {} }: ExecuteRequest,
  description: ProcessDescription,
  { hasPostgis }: { hasPostgis: boolean },
): Deliveries | null {
  const faults: Fault[] = [];
  const found = Object.entries(outputs).flatMap(([id, wish]): [string, Delivery][] => {
    const { format } = (wish ?? {}) as { format?: unknown };
    const { mediaType, table } = (format ?? {}) as { mediaType?: unknown; table?: unknown };
    const asked = String(mediaType).split(';')[0]!.trim().toLowerCase();
    if (asked !== GEOPACKAGE_TYPE && asked !== POSTGIS_TYPE) return [];
    // A process that gives it itself is asked for it.
    if (JSON.stringify(description.outputs[id] ?? {}).includes(asked)) return [];
    if (asked === GEOPACKAGE_TYPE) return [[id, { kind: 'geopackage' }]];
    const pointer = `/outputs/${id}/format`;
    if (!hasPostgis) faults.push({ pointer: `${pointer}/mediaType`, message: NO_POSTGIS });
    if (typeof table === 'string' && TABLE_NAME.test(table)) {
      return [[id, { kind: 'postgis', table }]];
    }
    faults.push({ pointer: `${pointer}/table`, message: TABLE_FORM });
    return [];
  });
  if (faults.length > 0) throw invalid(faults);
  return found.length === 0 ? null : Object.fromEntries(found);
}

const NO_POSTGIS = 'is not available here: the operator has not set PAWL_OGC_POSTGIS_URL';
const TABLE_FORM = 'must be the name of a table: 1 to 48 of a–z, 0–9 and _, no digit first';

/** The request as the process gets it: it gives features, which are then delivered. */
export function withoutDeliveries(request: ExecuteRequest, deliveries: Deliveries): ExecuteRequest {
  const outputs = Object.entries(request.outputs ?? {}).map(([id, wish]) => {
    if (!Object.hasOwn(deliveries, id)) return [id, wish];
    const { format: _, transmissionMode: __, ...rest } = wish as Record<string, unknown>;
    return [id, rest];
  });
  const response = outputs.length === 1 ? 'raw' : 'document';
  return { ...request, outputs: Object.fromEntries(outputs) as Record<string, unknown>, response };
}

/** The job that delivers, around the one that executes. */
export function deliveringJob(
  prepared: PreparedJob,
  { processId, deliveries }: { processId: string; deliveries: Deliveries },
): PreparedJob {
  const { type, input, metadata = {}, inlineBytesMax } = prepared;
  const whole: DeliveryInput = { execution: { type, input, metadata }, deliveries };
  return {
    type: DELIVERY_TYPE,
    input: whole,
    metadata: { processID: processId },
    ...(inlineBytesMax === undefined ? {} : { inlineBytesMax }),
  };
}
