// A worker's view of the platform, with everything that it was told written down.
import { randomUUID } from 'node:crypto';
import type { CompleteOperation } from 'pawl/internal/check/history';
import type { Claim } from 'pawl/internal/engine/claim';
import type { BeatResult, Ownership } from 'pawl/internal/engine/owner';
import type { Settlement } from 'pawl/internal/engine/settle';
import type { JobSource, SourceOutcome } from 'pawl/internal/engine/source';
import { write } from './ledger.ts';

const holdings = new Map<string, { epoch: number; owner: string }>();

/** Under which epoch a job of this process was claimed last. */
export function holdingOf(jobId: string): { epoch: number; owner: string } {
  const found = holdings.get(jobId);
  if (found === undefined) throw new Error(`job ${jobId} was not claimed here`);
  return found;
}

export function noted(source: JobSource): JobSource {
  return {
    claim: async (options) => held(await source.claim(options), options.owner),
    start: async (held) => refusals(held, await source.start(held)),
    renew: async (beats) => refusals(beats, await source.renew(beats)),
    settle: async (settlements) => {
      const reports = settlements.map(report);
      const outcomes = await source.settle(settlements);
      outcomes.forEach((outcome, index) => answer(reports[index]!, outcome));
      return refusals(settlements, outcomes);
    },
    ...(source.settleAndClaim === undefined
      ? {}
      : {
          settleAndClaim: async (settlements, options) => {
            const reports = settlements.map(report);
            const told = await source.settleAndClaim!(settlements, options);
            told.outcomes.forEach((outcome, index) => answer(reports[index]!, outcome));
            refusals(settlements, told.outcomes);
            return { ...told, claims: held(told.claims, options.owner) };
          },
        }),
    ...(source.flow === undefined ? {} : { flow: (held, call) => source.flow!(held, call) }),
    ...(source.announce === undefined ? {} : { announce: (signs) => source.announce!(signs) }),
  };
}

/** Writes down whose turn was over when it wrote once more. */
function refusals<Outcome extends SourceOutcome | BeatResult>(
  written: readonly Ownership[],
  outcomes: readonly Outcome[],
): readonly Outcome[] {
  outcomes.forEach((outcome, index) => {
    if (outcome.kind !== 'refused' || outcome.error.code !== 'LEASE_LOST') return;
    const { ref, epoch } = written[index]!;
    write({ what: 'refused', jobId: ref.id, epoch });
  });
  return outcomes;
}

function held(claims: readonly Claim[], owner: string): readonly Claim[] {
  for (const { job } of claims) holdings.set(job.id, { epoch: job.epoch, owner });
  return claims;
}

/** Null for any end but a success. */
function report({ ref, owner, epoch, ending }: Settlement): string | null {
  if (ending.kind !== 'succeed') return null;
  const name = randomUUID();
  const operation: CompleteOperation = {
    kind: 'complete',
    tenant: ref.tenant,
    outcome: 'unknown',
    jobId: ref.id,
    owner,
    epoch,
    result: ending.result ?? null,
  };
  write({ what: 'reported', report: name, operation });
  return name;
}

function answer(report: string | null, outcome: SourceOutcome): void {
  if (report === null) return;
  write({ what: 'answered', report, outcome: outcome.kind === 'refused' ? 'fail' : 'ok' });
}
