// A text for every field that a codec covers, and jobs that carry all of them through a platform.
import { contentOf } from '../artifact/artifact-world.ts';
import type { PayloadCodec } from '../../../src/codec/payload-codec.ts';
import { type ArtifactAccess, encodedArtifacts } from '../../../src/codec/wrap/artifacts.ts';
import { encodedSink } from '../../../src/codec/wrap/enqueue.ts';
import { encodedSource } from '../../../src/codec/wrap/source.ts';
import type { JobSource } from '../../../src/engine/source.ts';
import type { Ids } from '../../../src/core/ids.ts';
import type { Job } from '../../../src/core/job.ts';
import type { Claim } from '../../../src/engine/claim.ts';
import type { Engine } from '../../../src/engine/engine.ts';
import type { EnqueueRequest } from '../../../src/engine/enqueue-request.ts';
import type { Ownership } from '../../../src/engine/owner.ts';
import type { Ending } from '../../../src/core/ending.ts';

/** Nothing else looks like one, and no encoding leaves one readable by chance. */
function canary(field: string): string {
  return `CANARY-${field}-7f3a9c`;
}

const FIELDS = [
  'input',
  'result',
  'error-message',
  'error-details',
  'error-stack',
  'cause-message',
  'cause-stack',
  'cause-details',
  'progress-text',
  'log-line',
  'log-payload',
  'tokens',
  'checkpoint',
  'snooze-checkpoint',
  'stage-result',
  'artifact-name',
  'artifact-content',
  'upload-name',
  'upload-content',
] as const;

type Field = (typeof FIELDS)[number];

export const CANARIES: Readonly<Record<Field, string>> = Object.fromEntries(
  FIELDS.map((field) => [field, canary(field)]),
) as Record<Field, string>;

/** Which canaries can be read in a text. */
export function canariesIn(text: string): string[] {
  return Object.values(CANARIES).filter((one) => text.includes(one));
}

/** The types of the jobs that carry canaries: of no platform's own. */
export async function putBlindTypes(engine: Engine, tenant: string): Promise<void> {
  await engine.putType({ tenant, type: 'secret-export' }, { lifecycle: 'task' });
  await engine.putType({ tenant, type: 'secret-index' }, { lifecycle: 'distributed' });
}

/** A client and a worker that share a codec; the engine between them has none. */
export class BlindPair {
  readonly codec: PayloadCodec;
  readonly source: JobSource;
  readonly access: ArtifactAccess;
  readonly #engine: Engine;
  readonly #ids: Ids;
  readonly tenant: string;

  constructor(parts: {
    engine: Engine;
    access: ArtifactAccess;
    codec: PayloadCodec;
    ids: Ids;
    tenant: string;
  }) {
    this.codec = parts.codec;
    this.#engine = parts.engine;
    this.#ids = parts.ids;
    this.tenant = parts.tenant;
    this.source = encodedSource(parts.engine, parts.codec);
    this.access = encodedArtifacts(parts.access, parts.codec, parts.ids);
  }

  async enqueue(request: EnqueueRequest): Promise<Job> {
    const sink = encodedSink(this.#engine, this.codec, this.#ids);
    const caller = { tenant: this.tenant, principal: null };
    const [result] = await sink.enqueue([request], { caller });
    if (result!.kind === 'refused') throw result!.error;
    return result!.job;
  }

  async claimOne(type: string): Promise<Claim> {
    const tenants = [this.tenant];
    const [claim] = await this.source.claim({ owner: 'w1', types: [type], max: 1, tenants });
    if (claim === undefined) throw new Error(`no job of type ${type} to claim`);
    await this.source.start([heldOf(claim)]);
    return claim;
  }

  async settle(claim: Claim, ending: Ending): Promise<void> {
    const [outcome] = await this.source.settle([{ ...heldOf(claim), known: claim.job, ending }]);
    if (outcome!.kind === 'refused') throw outcome!.error;
  }

  /** Everything that covered fields can hold, in three jobs: one succeeds, one waits, one dies. */
  async runEverything(): Promise<{ done: Job; waiting: Job; dead: Job }> {
    const input = { text: CANARIES.input };
    const done = await this.enqueue({ type: 'secret-export', input, idempotencyKey: 'k1' });
    const first = await this.claimOne('secret-export');
    await this.#work(first);
    const result = JSON.stringify({ text: CANARIES.result });
    await this.settle(first, { kind: 'succeed', result });
    const waiting = await this.enqueue({ type: 'secret-export', input });
    const checkpoint = JSON.stringify([CANARIES['snooze-checkpoint']]);
    const second = await this.claimOne('secret-export');
    await this.settle(second, { kind: 'snooze', delayMs: 3_600_000, checkpoint });
    const dead = await this.enqueue({ type: 'secret-index', input });
    const error = {
      class: 'NobodyDeclaredThis',
      message: CANARIES['error-message'],
      details: { text: CANARIES['error-details'] },
      stack: CANARIES['error-stack'],
      causes: [
        {
          class: 'Error',
          message: CANARIES['cause-message'],
          stack: CANARIES['cause-stack'],
          details: { text: CANARIES['cause-details'] },
        },
      ],
    };
    await this.settle(await this.claimOne('secret-index'), {
      kind: 'fail',
      error,
      deadLetter: 'timeout',
    });
    return { done, waiting, dead };
  }

  async #work(claim: Claim): Promise<void> {
    const held = heldOf(claim);
    const level = { level: 'info', text: CANARIES['log-payload'] };
    const [beat] = await this.source.renew([
      {
        ...held,
        known: claim.job,
        stage: 'render',
        progress: 40,
        message: CANARIES['progress-text'],
        checkpoint: JSON.stringify(CANARIES.checkpoint),
        stageResult: { name: 'plan', result: JSON.stringify([CANARIES['stage-result']]) },
        notes: [
          { type: 'job_log', message: CANARIES['log-line'], payload: level },
          { type: 'job_tokens', message: null, payload: { text: CANARIES.tokens } },
        ],
      },
    ]);
    if (beat!.kind === 'refused') throw beat!.error;
    const contentType = 'text/plain';
    const name = CANARIES['artifact-name'];
    await this.access.put(held, {
      name,
      contentType,
      content: contentOf(CANARIES['artifact-content']),
    });
    await this.access.upload(this.tenant, {
      name: CANARIES['upload-name'],
      contentType,
      content: contentOf(CANARIES['upload-content']),
    });
  }
}

function heldOf({ job }: Claim): Ownership {
  return { ref: { tenant: job.tenant, id: job.id }, owner: job.owner!, epoch: job.epoch };
}
