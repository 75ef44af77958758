import { boundedFailure } from '../../core/bounded-error.ts';
import type { Failure } from '../../core/decision.ts';
import type { Job, JobRef } from '../../core/job.ts';
import { boundedMessage, boundedNotes } from '../../engine/bounded-beat.ts';
import type { Claim } from '../../engine/claim.ts';
import type { Beat, Ownership } from '../../engine/owner.ts';
import type { Ending } from '../../core/ending.ts';
import type { Settlement } from '../../engine/settle.ts';
import type { JobSource } from '../../engine/source.ts';
import type { NoteDraft } from '../../store/renew.ts';
import {
  CodecError,
  type PayloadCodec,
  type PayloadField,
  type PayloadPlace,
} from '../payload-codec.ts';
import { withErrorTexts } from './error-texts.ts';
import { EncodedFlows } from './flow.ts';
import { sealedName } from './flow-names.ts';
import { decodeJob, decodeStage, placeIn } from './read.ts';

/** Options of `encodedSource`. */
export interface EncodedSourceOptions {
  /** Told of each claimed job that this worker's keys could not read. */
  readonly onUnreadable?: (job: Job, error: CodecError) => void;
}

/**
 * A source that decrypts payloads for its worker. A claimed job that cannot be decrypted fails with
 * `configuration_error`; other jobs are not affected.
 */
export function encodedSource(
  source: JobSource,
  codec: PayloadCodec,
  options: EncodedSourceOptions = {},
): JobSource {
  // An owner shows the job as it claimed it; the platform gets back what it had handed out.
  const handedOut = new WeakMap<Job, Job>();
  // A worker reports an end again whose answer was lost: encrypted anew it would be another one.
  const endings = new WeakMap<Ending, Ending>();
  const encoded = (settlement: Settlement): Settlement => {
    const ending = endings.get(settlement.ending) ?? encodeEnding(codec, settlement);
    endings.set(settlement.ending, ending);
    return { ...settlement, ending };
  };
  const asHandedOut = <Held extends Ownership>(held: Held): Held => {
    if (held.known === undefined) return held;
    const known = handedOut.get(held.known);
    const { known: _, ...rest } = held;
    return (known === undefined ? rest : { ...rest, known }) as Held;
  };
  const decoded = async (claims: readonly Claim[]): Promise<readonly Claim[]> => {
    const read = claims.map((claim) => decodeClaim(codec, claim));
    const lost = read.flatMap((one) => ('error' in one ? [one] : []));
    if (lost.length > 0) await giveUp(source, lost);
    for (const { claim, error } of lost) options.onUnreadable?.(claim.job, error);
    return read.flatMap((one, index) => {
      if ('error' in one) return [];
      handedOut.set(one.claim.job, claims[index]!.job);
      return [one.claim];
    });
  };
  const flows = new EncodedFlows(codec, (held, call) => source.flow!(asHandedOut(held), call));
  const sealed = (settlements: readonly Settlement[]): Settlement[] =>
    settlements.map((one) => asHandedOut(encoded(flows.ended(one))));
  return {
    claim: async (wish) => decoded(await source.claim(wish)),
    start: (holdings) => source.start(holdings.map(asHandedOut)),
    renew: async (beats) => {
      const results = await source.renew(beats.map((beat) => asHandedOut(encodeBeat(codec, beat))));
      flows.heard(beats, results);
      return results;
    },
    settle: (settlements) => source.settle(sealed(settlements)),
    ...(source.flow === undefined ? {} : { flow: (held, call) => flows.ask(held, call) }),
    // Signs of life carry no payloads.
    ...(source.announce === undefined ? {} : { announce: (signs) => source.announce!(signs) }),
    ...(source.settleAndClaim === undefined
      ? {}
      : {
          settleAndClaim: async (settlements, wish) => {
            const { outcomes, claims } = await source.settleAndClaim!(sealed(settlements), wish);
            return { outcomes, claims: await decoded(claims) };
          },
        }),
  };
}

type ReadClaim = { claim: Claim } | { claim: Claim; error: CodecError };

function decodeClaim(codec: PayloadCodec, claim: Claim): ReadClaim {
  try {
    const { job } = claim;
    const stages = claim.stages.map((stage) => decodeStage(codec, job, stage));
    return { claim: { ...claim, job: decodeJob(codec, job), stages } };
  } catch (error) {
    if (error instanceof CodecError) return { claim, error };
    throw error;
  }
}

async function giveUp(
  source: JobSource,
  lost: readonly { claim: Claim; error: CodecError }[],
): Promise<void> {
  const holdings = lost.map(({ claim: { job } }) => holdingOf(job));
  await source.settle(
    lost.map(({ error }, index) => ({
      ...holdings[index]!,
      ending: {
        kind: 'fail',
        error: { class: 'configuration_error', code: error.code, message: error.message },
      },
    })),
  );
}

function holdingOf(job: Job): Ownership {
  return { ref: { tenant: job.tenant, id: job.id }, owner: job.owner!, epoch: job.epoch };
}

function encodeBeat(codec: PayloadCodec, beat: Beat): Beat {
  const text = (field: PayloadField, plain: string): string =>
    codec.encodeText(placeIn(beat.ref, field), plain);
  const { message, checkpoint, stageResult, notes, liveTokens } = beat;
  return {
    ...beat,
    ...(message === undefined ? {} : { message: text('message', boundedMessage(message)) }),
    ...(liveTokens === undefined ? {} : { liveTokens: text('tokens', liveTokens) }),
    ...encodeCheckpoint(codec, beat, checkpoint),
    ...(stageResult === undefined
      ? {}
      : {
          stageResult: {
            name: stageResult.name,
            result: codec.encodeJson(
              placeIn(beat.ref, `stage:${stageResult.name}`),
              stageResult.result,
            ),
          },
        }),
    ...(notes === undefined
      ? {}
      : { notes: boundedNotes(notes).map((note) => encodeNote(codec, beat, note)) }),
  };
}

function encodeCheckpoint(
  codec: PayloadCodec,
  { ref }: Ownership,
  checkpoint: string | undefined,
): { checkpoint?: string } {
  if (checkpoint === undefined) return {};
  return { checkpoint: codec.encodeJson(placeIn(ref, 'checkpoint'), checkpoint) };
}

function encodeNote(codec: PayloadCodec, { ref }: Ownership, note: NoteDraft): NoteDraft {
  const { type, message, payload } = note;
  const field = type === 'job_log' ? 'log' : 'message';
  const line = message === null ? null : codec.encodeText(placeIn(ref, field), message);
  // The level of a line is no secret, and whoever watches filters by it.
  const isLevel = type === 'job_log' && Object.keys(payload ?? {}).join() === 'level';
  if (payload === null || isLevel) return { type, message: line, payload };
  const isTokens = type === 'job_tokens' && typeof payload['text'] === 'string';
  if (isTokens) {
    const text = codec.encodeText(placeIn(ref, 'tokens'), String(payload['text']));
    return { type, message: line, payload: { text } };
  }
  const encoded = encodeValue(codec, placeIn(ref, 'note'), payload);
  const isHidden = typeof encoded === 'string';
  const kept = isHidden ? { $encoded: encoded } : (encoded as typeof payload);
  return { type, message: line, payload: kept };
}

function encodeEnding(codec: PayloadCodec, settlement: Settlement): Ending {
  const { ref, ending } = settlement;
  switch (ending.kind) {
    case 'succeed': {
      if (ending.result === undefined) return ending;
      return { ...ending, result: codec.encodeJson(placeIn(ref, 'result'), ending.result) };
    }
    case 'fail': {
      return { ...ending, error: encodeFailure(codec, ref, ending.error) };
    }
    case 'snooze':
    case 'advance':
    case 'cancelled':
      return { ...ending, ...encodeCheckpoint(codec, settlement, ending.checkpoint) };
    case 'suspend':
      return { ...ending, waits: ending.waits.map((name) => sealedName(codec, ref, 'wait', name)) };
    case 'release':
      return ending;
  }
}

/** Bounded and rid of secrets while it can be read: afterwards nobody can. */
function encodeFailure(codec: PayloadCodec, ref: JobRef, failure: Failure): Failure {
  return withErrorTexts(boundedFailure(failure), {
    text: (field, plain) => codec.encodeText(placeIn(ref, field), plain),
    value: (field, plain) => encodeValue(codec, placeIn(ref, field), plain),
  });
}

/** Where a value travels as it is, and not as JSON text. */
function encodeValue(codec: PayloadCodec, place: PayloadPlace, value: unknown): unknown {
  return JSON.parse(codec.encodeJson(place, JSON.stringify(value)));
}
