import { canonicalJson } from '../../core/canonical-json.ts';
import type { Ids } from '../../core/ids.ts';
import type { Engine } from '../../engine/engine.ts';
import type { EnqueueRequest } from '../../engine/enqueue-request.ts';
import type { PayloadCodec } from '../payload-codec.ts';

/** Where jobs are enqueued: an engine, or a client of one. */
export type JobSink = Pick<Engine, 'enqueue'>;

/**
 * A sink that encrypts inputs. Ciphertext is bound to the id of its job, so a job without an id
 * gets one here. Answers contain the job as it is stored: use `decodeJob`.
 */
export function encodedSink(sink: JobSink, codec: PayloadCodec, ids: Ids): JobSink {
  return {
    enqueue: (requests, options) => {
      const { tenant } = options.caller;
      const encoded = requests.map((request) => encodeRequest(codec, request, { tenant, ids }));
      return sink.enqueue(encoded, options);
    },
  };
}

export function encodeRequest(
  codec: PayloadCodec,
  request: EnqueueRequest,
  { tenant, ids }: { tenant: string; ids: Ids },
): EnqueueRequest {
  const id = request.id ?? ids.next();
  const json = request.inputJson ?? JSON.stringify(request.input ?? null);
  const place = { tenant, jobId: id, field: 'input' } as const;
  const inputJson = codec.encodeJson(place, json);
  const own = { id, input: JSON.parse(inputJson) as unknown, inputJson };
  const { idempotencyKey, inputJson: _, ...payload } = request;
  if (idempotencyKey === undefined) return { ...request, ...own };
  // Two calls with one key differ in id and ciphertext, so the plain request is what is compared.
  const payloadHash = request.payloadHash ?? codec.hash(tenant, canonicalJson(payload));
  return { ...request, ...own, payloadHash };
}
