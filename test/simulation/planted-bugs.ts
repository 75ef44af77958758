// Mistakes that somebody could make in a store. The simulation must find every one of them.
import { isOwned } from 'pawl/internal/core/phase';
import type { Move } from 'pawl/internal/store/move';
import type { Tables } from 'pawl/internal/store/memory/tables';
import { PLANTED_READS } from './planted-reads.ts';
import { PLANTED_WRITES } from './planted-writes.ts';
import { type Bug, overwrite } from './planted-store.ts';

/** The invariants of which at least one must tell, and the mistake. */
export interface PlantedBug extends Bug {
  readonly tells: readonly string[];
  /** Where only some of the cast would notice. */
  readonly cast?: 'swarm';
}

/** Fenced by nothing but place and epoch, which the row has by now. */
function withoutFence(tables: Tables, move: Move): Move {
  const version = tables.rowOf(move)?.job.version ?? 0;
  return { ...move, fence: { kind: 'version', version } };
}

function isSuccess(move: Move): boolean {
  return move.steps.length === 1 && move.steps[0]!.to.phase === 'succeeded';
}

export const PLANTED_BUGS: Readonly<Record<string, PlantedBug>> = {
  ...PLANTED_WRITES,
  ...PLANTED_READS,
  'an owner may settle after its deadline': {
    tells: ['L3'],
    apply: (tables, move) => (move.fence.kind === 'owner' ? withoutFence(tables, move) : move),
  },
  'a completion does not show its epoch': {
    tells: ['I4', 'I5', 'L3'],
    apply: (tables, move) => {
      const job = tables.rowOf(move)?.job;
      if (job === undefined || !isSuccess(move) || job.phase !== 'executing') return move;
      const place = { state: job.state, phase: job.phase };
      const steps = [{ ...move.steps[0]!, from: place, epoch: job.epoch }];
      return { ...withoutFence(tables, move), place, epoch: job.epoch, steps };
    },
  },
  'a retry opens no new epoch': {
    tells: ['I3'],
    apply: (tables, move) => {
      const epoch = tables.rowOf(move)?.job.epoch ?? 1;
      return { ...move, steps: move.steps.map((step) => ({ ...step, epoch })) };
    },
  },
  'now and then an event is forgotten': {
    tells: ['I8'],
    forgets: (number) => number % 29 === 0,
  },
  'an expired lease can be renewed': {
    tells: ['L3'],
    renew: (tables, renewal) => {
      const row = tables.rowOf(renewal);
      const now = tables.clock.now();
      if (row === undefined || !isOwned(row.job.phase) || row.job.leaseExpiry! > now)
        return renewal;
      overwrite(tables, row, { leaseExpiry: now + 1 });
      return renewal;
    },
  },
  'anyone may renew': {
    tells: ['I4', 'L3'],
    renew: (tables, renewal) => {
      const job = tables.rowOf(renewal)?.job;
      if (job === undefined || !isOwned(job.phase)) return renewal;
      overwrite(tables, tables.rowOf(renewal)!, { owner: renewal.owner });
      return { ...renewal, epoch: job.epoch };
    },
  },
  'idempotency keys are ignored': {
    tells: ['I7'],
    insert: (_tables, job) => ({ ...job, idempotency: null }),
  },
  'attempts are not counted': {
    tells: ['I3'],
    apply: (tables, move) => {
      const attempts = tables.rowOf(move)?.job.attempts ?? 0;
      return { ...move, steps: move.steps.map((step) => ({ ...step, attempts })) };
    },
  },
  'progress may fall': {
    tells: ['I9'],
    renew: (tables, renewal) => {
      const row = tables.rowOf(renewal);
      if (row !== undefined && isOwned(row.job.phase)) overwrite(tables, row, { progress: 0 });
      return renewal;
    },
  },
  'the dead-letter queue is forgotten': {
    tells: ['I15'],
    apply: (_tables, { with: _letters, ...move }) => move,
  },
  'leases are taken away early': {
    tells: ['I6'],
    expired: (tables) =>
      tables.jobs
        .values()
        .filter(({ job }) => isOwned(job.phase))
        .map(({ job }) => job),
    apply: (tables, move) => {
      return move.fence.kind === 'expired' ? withoutFence(tables, move) : move;
    },
  },
  'a job in flight is given away again': {
    tells: ['I3', 'I8', 'L1'],
    beforeClaim: (tables, { owner }) => {
      const row = tables.jobs.values().find(({ job }) => isOwned(job.phase) && job.owner !== owner);
      if (row === undefined) return;
      const { initial } = tables.lifecycleOf(row.job);
      if (initial.phase !== 'ready') return;
      overwrite(tables, row, { ...initial, owner: null, leaseExpiry: null }, true);
    },
  },
  'a retry does not wait': {
    tells: ['I15'],
    beforeClaim: (tables) => {
      const now = tables.clock.now();
      for (const row of tables.jobs.values()) {
        if (row.job.phase === 'ready' && row.job.attempts > 1) overwrite(tables, row, {}, true);
        if (row.job.phase === 'waiting') overwrite(tables, row, { runAt: now });
      }
    },
  },
};
