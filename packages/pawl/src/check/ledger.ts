import type { LedgerEntry } from './history.ts';
import type { JobInvariant } from './invariant.ts';
import { sourceEpochsOf, type Trail } from './trail.ts';
import { at, type Finding, ofRow } from './violation.ts';

export const ledger: JobInvariant = {
  id: 'I16',
  sentence:
    'every accepted completion was really run under its own epoch, and two runs of one job ' +
    'overlap only where the first had lost its lease',
  check: (trail, facts) =>
    facts.ledger === null
      ? []
      : [...checkCompletion(trail, facts.ledger), ...checkOverlaps(trail, facts.ledger)],
};

function checkCompletion({ hops }: Trail, entries: readonly LedgerEntry[]): readonly Finding[] {
  const hop = hops.find(({ event }) => event.type === 'job_succeeded');
  if (hop === undefined || hop.timelyRows.length === 0) return [];
  const epochs = sourceEpochsOf(hop);
  if (entries.some(({ epoch }) => epochs.includes(epoch))) return [];
  const { event } = hop;
  return [at(event.version, `job_succeeded of epoch ${epochs.join()} has no run in the ledger`)];
}

function checkOverlaps(trail: Trail, entries: readonly LedgerEntry[]): readonly Finding[] {
  const runs = [...entries].sort((a, b) => a.epoch - b.epoch || a.startedAt - b.startedAt);
  const lost = lostEpochs(trail);
  return runs.flatMap((later, index) =>
    runs.slice(0, index).flatMap((earlier): Finding[] => {
      if (earlier.epoch === later.epoch && earlier.owner !== later.owner) {
        const owners = `${earlier.owner} and ${later.owner}`;
        return [ofRow(`epoch ${later.epoch} was run by ${owners}`)];
      }
      if (!overlap(earlier, later) || lost.has(earlier.epoch)) return [];
      const epochs = `epochs ${earlier.epoch} and ${later.epoch}`;
      return [ofRow(`runs of ${epochs} overlap, and the first lost no lease`)];
    }),
  );
}

/** Of a run that was cut off nobody knows the end, so nothing is claimed about it. */
function overlap(one: LedgerEntry, other: LedgerEntry): boolean {
  const endOf = (run: LedgerEntry): number => run.endedAt ?? run.startedAt;
  return one.startedAt < endOf(other) && other.startedAt < endOf(one);
}

function lostEpochs({ hops }: Trail): ReadonlySet<number> {
  const expired = hops.filter(({ event }) => typeof event.payload?.['leaseExpiry'] === 'number');
  return new Set(expired.flatMap(sourceEpochsOf));
}
