import { afterWrite } from '../after-write.ts';
import type { JobRef } from '../../core/job.ts';
import type { ClaimedJob, ClaimRequest } from '../claim.ts';
import type {
  InsertOptions,
  InsertOutcome,
  InsertWithOptions,
  InsertWithOutcome,
  NewJob,
} from '../insert.ts';
import type { Move, MovedAndClaimed, MoveOutcome } from '../move.ts';
import type { RecordOp } from '../records.ts';
import type { Renewal, RenewOutcome } from '../renew.ts';
import { type EraseOutcome, NOTHING_PURGED, type Purge, type Purged } from '../retention.ts';
import { StoreError } from '../store-error.ts';
import type { Cell } from './cell.ts';
import type { Cells } from './cells.ts';
import { claimJobs } from './claim.ts';
import { policies } from './policies.ts';
import { askWithKeys, keyedFor, withCellKeys, withoutKey } from './keys.ts';
import { placeOfOps, tenantsOfOps } from './record-places.ts';
import { unlessMoved } from './relocate.ts';

/** Jobs of several cells are written one cell after the other: only a part may be written. */
export async function insert(
  cells: Cells,
  jobs: readonly NewJob[],
  options: InsertOptions,
): Promise<InsertOutcome[]> {
  if (options.isWhole) {
    return cells.following(tenantsOf(jobs), async () => {
      const cell = await onlyCell(cells, jobs);
      if (cell === null) return [];
      await carryPolicies(cells, cell, jobs);
      return cell.use((store) => store.insert(jobs, options));
    });
  }
  return cells.split(jobs, 'write', async (store, own, cell) => {
    await carryPolicies(cells, cell, own);
    return store.insert(own, options);
  });
}

export function insertWith(
  cells: Cells,
  jobs: readonly NewJob[],
  options: InsertWithOptions,
): Promise<InsertWithOutcome> {
  const tenants = [...tenantsOf(jobs), ...tenantsOfOps(options.with)];
  const write = async (): Promise<InsertWithOutcome> => {
    const cell =
      (await onlyCell(cells, jobs)) ?? (await placeOfOps(cells, options.with)) ?? cells.home;
    await checkPlace(cells, cell, options.with);
    await carryPolicies(cells, cell, jobs);
    return cell.use((store) => store.insert(jobs, options));
  };
  return cells.following(tenants, write, ({ kind }) => kind === 'refused');
}

export async function apply(cells: Cells, moves: readonly Move[]): Promise<MoveOutcome[]> {
  return cells.split(
    moves,
    'write',
    async (store, own, cell) => {
      for (const { with: ops = [] } of own) await checkPlace(cells, cell, ops);
      return askWithKeys(cell, own, { ask: (some) => store.apply(some), isMiss: isMissed });
    },
    isMissed,
  );
}

/** A cell that has all of the moves claims in the same transaction; the rest is claimed after. */
export async function applyAndClaim(
  cells: Cells,
  moves: readonly Move[],
  claim: ClaimRequest,
): Promise<MovedAndClaimed> {
  const groups = await cells.group(moves, 'write');
  const [cell] = groups.keys();
  if (groups.size !== 1 || claim.tenants !== null) {
    const outcomes = moves.length === 0 ? [] : await apply(cells, moves);
    return { outcomes, claimed: await claimMore(cells, claim, []) };
  }
  for (const { with: ops = [] } of moves) await checkPlace(cells, cell!, ops);
  const keyed = moves.map((move) => keyedFor(cell!, move));
  const made = await unlessMoved(1, () => cell!.use((store) => store.apply(keyed, claim)));
  if (made === null) {
    return { outcomes: await apply(cells, moves), claimed: await claimMore(cells, claim, []) };
  }
  const { outcomes, claimed } = made;
  const missed = [...outcomes.keys()].filter((at) => isMissed(outcomes[at]!));
  const all = [...outcomes];
  if (missed.length > 0) {
    const again = await apply(
      cells,
      missed.map((at) => withoutKey(moves[at]!)),
    );
    missed.forEach((at, index) => (all[at] = again[index]!));
  }
  return { outcomes: all, claimed: await claimMore(cells, claim, withCellKeys(cell!, claimed)) };
}

function isMissed({ kind }: MoveOutcome): boolean {
  return kind === 'missed';
}

export function renew(cells: Cells, renewals: readonly Renewal[]): Promise<RenewOutcome[]> {
  const isMiss = ({ kind }: RenewOutcome): boolean => kind === 'lost';
  return cells.split(
    renewals,
    'write',
    (store, own, cell) => askWithKeys(cell, own, { ask: (some) => store.renew(some), isMiss }),
    isMiss,
  );
}

/**
 * One cell after the other, each until it has no more: one that is asked again after that would
 * begin anew. A cell that cannot be reached is left out of this round.
 */
export async function purge(cells: Cells, cuts: Purge): Promise<Purged> {
  const done: Purged[] = [];
  for (; cells.purging < cells.all.length; cells.purging++) {
    const cell = cells.all[cells.purging]!;
    if (!cell.isResting) done.push(await purgeIn(cell, cuts));
    if (done.at(-1)?.hasMore === true) return summed(done, true);
  }
  cells.purging = 0;
  return summed(done, false);
}

function summed(all: readonly Purged[], hasMore: boolean): Purged {
  const sum = (kind: 'jobs' | 'notes' | 'feed' | 'keys' | 'days'): number =>
    all.reduce((count, one) => count + one[kind], 0);
  const kinds = { jobs: sum('jobs'), notes: sum('notes'), feed: sum('feed'), keys: sum('keys') };
  return { ...kinds, days: sum('days'), hasMore };
}

async function purgeIn(cell: Cell, cuts: Purge): Promise<Purged> {
  try {
    return await cell.use((store) => store.purge(cuts));
  } catch (error) {
    if (error instanceof StoreError && error.outcome !== 'refused') return NOTHING_PURGED;
    throw error;
  }
}

export async function erase(
  cells: Cells,
  ref: JobRef,
  { actor, ops }: { actor: string; ops: readonly RecordOp[] },
): Promise<EraseOutcome> {
  const eraseThere = async (): Promise<EraseOutcome> => {
    const cell = await cells.cellToWrite(ref.tenant);
    await checkPlace(cells, cell, ops);
    return cell.use((store) => store.erase(ref, actor, ops));
  };
  const outcome = await cells.following([ref.tenant], eraseThere, (one) => one !== 'erased');
  if (outcome === 'erased') await eraseElsewhere(cells, ref);
  return outcome;
}

/** Cells that the tenant has left keep its ended jobs until retention takes them. */
async function eraseElsewhere(cells: Cells, { tenant, id }: JobRef): Promise<void> {
  const here = await cells.cellOf(tenant);
  for (const cell of cells.all) {
    if (cell === here || (await cells.whoLeft(cell, [{ tenant }])).size === 0) continue;
    await afterWrite(true, () => cell.use(async ({ moving }) => moving?.eraseLeft(tenant, id)));
  }
}

/** The moves are made by now: a claim that fails says only that nothing was claimed. */
async function claimMore(
  cells: Cells,
  request: ClaimRequest,
  claimed: readonly ClaimedJob[],
): Promise<readonly ClaimedJob[]> {
  const max = request.max - claimed.length;
  if (max <= 0 || (request.requestId !== null && claimed.length > 0)) return claimed;
  try {
    return [...claimed, ...(await claimJobs(cells, { ...request, max }))];
  } catch (error) {
    if (error instanceof StoreError) return claimed;
    throw error;
  }
}

/** A cell that was away when a policy was written gets it before the first job that names it. */
async function carryPolicies(cells: Cells, cell: Cell, jobs: readonly NewJob[]): Promise<void> {
  const named = new Set(jobs.map(({ policy }) => policy));
  const missing = [...named].filter((number) => !cells.policies.isThere(cell, number));
  if (missing.length === 0) return;
  const found = await policies(cells, missing);
  for (const [index, policy] of found.entries()) {
    await cell.use((store) => store.putPolicy(policy));
    cells.policies.wasPut(cell, missing[index]!);
  }
}

function tenantsOf(jobs: readonly NewJob[]): string[] {
  return [...new Set(jobs.map(({ tenant }) => tenant))];
}

/** The cell of them all; null where there are none. */
async function onlyCell(cells: Cells, jobs: readonly NewJob[]): Promise<Cell | null> {
  const found = [...(await cells.group(jobs, 'write')).keys()];
  if (found.length > 1) throw spread(found);
  return found[0] ?? null;
}

async function checkPlace(cells: Cells, cell: Cell, ops: readonly RecordOp[]): Promise<void> {
  const place = ops.length === 0 ? null : await placeOfOps(cells, ops);
  if (place !== null && place !== cell) throw spread([cell, place]);
}

function spread(found: readonly Cell[]): StoreError {
  const names = found.map(({ name }) => `"${name}"`).join(' and ');
  const message = `one write concerns tenants of the cells ${names}: write for each tenant alone`;
  return new StoreError('refused', message);
}
