// Mistakes in what a store answers: the tail, lists, claims and the slots of schedules.
import { EMPTY_LEVEL } from 'pawl/internal/core/rate';
import { GATE } from 'pawl/internal/store/gate';
import { keyOf, type Tables } from 'pawl/internal/store/memory/tables';
import type { TailPage } from 'pawl/internal/store/query';
import type { PutOp } from 'pawl/internal/store/records';
import type { PlantedBug } from './planted-bugs.ts';
import { overwrite } from './planted-store.ts';

function withoutItem(page: TailPage, isLeftOut: (index: number) => boolean): TailPage {
  return { ...page, items: page.items.filter((_, index) => !isLeftOut(index)) };
}

/** A schedule that somebody else has fired since it was read. */
function isOvertaken(tables: Tables, { kind, tenant, id, expected }: PutOp): boolean {
  if (kind.name !== 'schedule' || typeof expected !== 'object') return false;
  return tables.records.get(keyOf(kind.name, tenant, id))?.version !== expected.version;
}

/** The number of a line that nobody has yet. */
function laterLine(id: string): string {
  const [schedule, digits] = id.split('/') as [string, string];
  return `${schedule}/${String(Number(digits) + 500).padStart(digits.length, '0')}`;
}

export const PLANTED_READS: Readonly<Record<string, PlantedBug>> = {
  'a reader that comes back is one item too far': {
    tells: ['I11'],
    cast: 'swarm',
    tail: (page, { limit }) =>
      withoutItem(page, (index) => page.items.length === limit && index === limit - 1),
  },
  'a reader that comes back is one item behind': {
    tells: ['I11'],
    cast: 'swarm',
    tail: (page) => {
      const before = page.items.at(-2);
      return before === undefined || page.items.length < 3
        ? page
        : { ...page, cursor: before.cursor };
    },
  },
  'what was committed late is never read': {
    tells: ['I11'],
    cast: 'swarm',
    tail: (page) => withoutItem(page, (index) => page.items[index]!.event.at % 17 === 3),
  },
  'the tail shows the jobs of others': {
    tells: ['I19'],
    cast: 'swarm',
    asksTail: (query) => ({ ...query, tenant: null }),
  },
  'a list shows the jobs of others': {
    tells: ['I19', 'I8', 'I2', 'I1'],
    lists: (tables) => ({ jobs: tables.jobs.values().map(({ job }) => job), hasMore: false }),
  },
  'a claim gives more than was asked for': {
    tells: ['C1'],
    asksClaim: (request) => ({ ...request, max: request.max + 1 }),
  },
  'a claim beside moves gives more than was asked for': {
    tells: ['C1'],
    asksClaimBeside: (request) => ({ ...request, max: request.max + 1 }),
  },
  'a full key lets one more in': {
    tells: ['I13'],
    cast: 'swarm',
    beforeClaim: (tables) => {
      const row = tables.jobs.values().find(({ parkedAt }) => parkedAt === GATE.parked);
      if (row !== undefined) overwrite(tables, row, {}, true);
    },
  },
  'tokens are not counted': {
    tells: ['I13'],
    cast: 'swarm',
    beforeClaim: (tables) => {
      for (const { key } of tables.rates.values()) {
        tables.rates.set(key, { ...EMPTY_LEVEL, key, nextAt: tables.clock.now() });
      }
    },
  },
  'a slot has no key of its own': {
    tells: ['I12'],
    cast: 'swarm',
    insertWith: (tables, { jobs, ops }) => {
      const isLate = ops.some((op) => op.op === 'put' && isOvertaken(tables, op));
      if (!isLate) return { jobs, ops };
      return {
        jobs: jobs.map((job) => ({ ...job, id: `${job.id.slice(0, -1)}0` })),
        ops: ops.map(({ ...op }) => {
          if (op.op !== 'put') return op;
          const { expected: _, ...anyhow } = op;
          const isLine = op.kind.name === 'schedule-fire';
          return isLine ? { ...anyhow, id: laterLine(op.id) } : anyhow;
        }),
      };
    },
  },
};
