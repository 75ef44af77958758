import type { Job } from '../../core/job.ts';
import type { Phase } from '../../core/phase.ts';
import { byBytes } from '../byte-order.ts';
import type { DispatchRule } from '../dispatch-rule.ts';
import { OWNED_MAX, type OwnedJob } from '../owned.ts';
import type { VerbTable } from '../plain-verbs.ts';
import { renew } from './writes.ts';
import type { Cells } from './cells.ts';
import { claimJobs } from './claim.ts';
import { policies, putPolicy } from './policies.ts';
import { readEntries, readTail } from './tail.ts';

export const VERBS: VerbTable<Cells> = {
  claim: claimJobs,
  renew,
  due,
  untilDue: async (cells) => {
    const waits = (await cells.everywhere((store) => store.untilDue())).map(({ answer }) => answer);
    const known = waits.filter((wait) => wait !== null);
    return known.length === 0 ? null : Math.min(...known);
  },
  expired: async (cells, limit) => {
    const found = await cells.everywhere((store) => store.expired(limit));
    return longestAgo(found, limit, ({ leaseExpiry }) => leaseExpiry);
  },
  overdue: async (cells, places, limit) => {
    const found = await cells.everywhere((store) => store.overdue(places, limit));
    return longestAgo(found, limit, ({ deadlineAt }) => deadlineAt);
  },
  owned: async (cells, owners, tenant) => {
    if (tenant !== null) return cells.read(tenant, (store) => store.owned(owners, tenant));
    const found = await cells.everywhere((store) => store.owned(owners, null));
    return owners.flatMap((owner) =>
      firstOwned(
        found.flatMap(({ answer }) => answer),
        owner,
      ),
    );
  },
  read: (cells, refs, part?: 'phase') =>
    cells.split<(typeof refs)[number], Job | Phase | null>(
      refs,
      'read',
      (store, own) => (part === undefined ? store.read(own) : store.read(own, part)),
      (found) => found === null,
    ) as Promise<(Job | null)[]>,
  list: (cells, query) => cells.read(query.tenant, (store) => store.list(query)),
  stages: (cells, ref) => cells.read(ref.tenant, (store) => store.stages(ref)),
  countStages: (cells, ref, except) =>
    cells.read(ref.tenant, (store) => store.countStages(ref, except)),
  events: (cells, query) => cells.read(query.tenant, (store) => store.events(query)),
  tail: readTail,
  entries: readEntries,
  incarnation: (cells, tenant = '') => cells.read(tenant, (store) => store.incarnation(tenant)),
  tally: async (cells, tenant, bounds) => {
    if (tenant !== null) return cells.read(tenant, (store) => store.tally(tenant, bounds));
    const found = await cells.everywhere((store) => store.tally(null, bounds));
    return found.flatMap(({ answer }) => answer);
  },
  past: (cells, query) => cells.read(query.tenant, (store) => store.past(query)),
  standing: (cells, ref) => cells.read(ref.tenant, (store) => store.standing(ref)),
  putDispatchRule: (cells, change) =>
    cells.write(change.tenant, (store) => store.putDispatchRule(change)),
  rules: async (cells, tenant) => {
    if (tenant !== null) return cells.read(tenant, (store) => store.rules(tenant));
    const found = await cells.everywhere((store) => store.rules(null));
    return found.flatMap(({ answer }) => answer).toSorted(byName);
  },
  depth: (cells, ref, max) => cells.read(ref.tenant, (store) => store.depth(ref, max)),
  putPolicy,
  policies,
};

async function due(cells: Cells, limit: number): Promise<{ opened: number; waiting: Job[] }> {
  let opened = 0;
  const waiting: Job[] = [];
  const left = (): number => limit - Math.min(opened, waiting.length);
  await cells.oneByOne(
    async (store) => {
      const found = await store.due(left());
      opened += found.opened;
      waiting.push(...found.waiting);
    },
    { isEnough: () => left() <= 0 },
  );
  return { opened, waiting: waiting.slice(0, limit) };
}

function longestAgo(
  found: readonly { readonly answer: readonly Job[] }[],
  limit: number,
  timeOf: (job: Job) => number | null,
): Job[] {
  return found
    .flatMap(({ answer }) => answer)
    .toSorted((one, other) => (timeOf(one) ?? 0) - (timeOf(other) ?? 0))
    .slice(0, limit);
}

function firstOwned(jobs: readonly OwnedJob[], owner: string): OwnedJob[] {
  return jobs
    .filter((job) => job.owner === owner)
    .toSorted((one, other) => byBytes(one.id, other.id))
    .slice(0, OWNED_MAX);
}

function byName(one: DispatchRule, other: DispatchRule): number {
  return (
    byBytes(one.tenant, other.tenant) ||
    byBytes(one.scope, other.scope) ||
    byBytes(one.name, other.name)
  );
}
