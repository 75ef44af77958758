import {
  type MoveProgress,
  MoveRefused,
  type MoveStep,
  type OnMoveStep,
  type TenantMove,
} from '../cell-view.ts';
import type { MovingStore, PackedJobs } from '../moving.ts';
import { TenantMoved } from '../store-error.ts';
import type { Cell } from './cell.ts';
import type { Cells } from './cells.ts';

/** So many jobs are packed, and taken, at once. */
const PAGE = 200;
/** Rounds of copying go on until one has so few jobs that they can leave with the tenant. */
const FEW = 100;
const ROUNDS_MAX = 8;

type DepartedPage = Awaited<ReturnType<MovingStore['departed']>>;

type Counts = { -readonly [Name in 'copied' | 'live' | 'ended' | 'records']: number };

/** One tenant on its way from one cell to another. */
class Journey {
  readonly tenant: string;
  readonly from: Cell;
  readonly to: Cell;
  readonly counts: Counts = { copied: 0, live: 0, ended: 0, records: 0 };
  readonly #onStep: OnMoveStep;
  pausedAt: number | null = null;
  pauseMs: number | null = null;

  constructor(tenant: string, cells: { from: Cell; to: Cell }, onStep: OnMoveStep) {
    this.tenant = tenant;
    this.from = cells.from;
    this.to = cells.to;
    this.#onStep = onStep;
  }

  there<Answer>(ask: (moving: MovingStore) => Promise<Answer>): Promise<Answer> {
    return this.to.use((store) => ask(store.moving!));
  }

  here<Answer>(ask: (moving: MovingStore) => Promise<Answer>): Promise<Answer> {
    return this.from.use((store) => ask(store.moving!));
  }

  async tell(step: MoveStep | 'copying'): Promise<void> {
    const progress: MoveProgress = { step, ...this.counts };
    await this.#onStep(progress);
  }
}

/**
 * What has ended is copied while the tenant works. Then the tenant departs: from that commit on the
 * old cell refuses its writes, and what lived there lies there as parts until the new cell has
 * taken them. So there is always one place that has a job, and whoever repeats a move that stopped
 * continues it.
 */
export async function moveTenant(
  cells: Cells,
  { tenant, to, onStep = () => undefined }: { tenant: string; to: Cell; onStep?: OnMoveStep },
): Promise<TenantMove> {
  const from = await fromWhere(cells, tenant, to);
  const journey = new Journey(tenant, { from, to }, onStep);
  const standing = await journey.here((moving) => moving.standing(tenant));
  if (standing.leftFor !== null && standing.leftFor !== to.name) {
    throw new MoveRefused(
      'elsewhere',
      `tenant "${tenant}" is on its way to cell "${standing.leftFor}": finish that move first, ` +
        `by pawl tenants move ${tenant} ${standing.leftFor}`,
    );
  }
  if (standing.leftFor === null) await bringAway(journey, standing.generation + 1);
  const { generation } = await journey.here((moving) => moving.standing(tenant));
  await bringIn(journey, generation);
  await cells.placements.move(tenant, to.name);
  if (journey.pausedAt !== null) journey.pauseMs = performance.now() - journey.pausedAt;
  await journey.tell('placed');
  await journey.here((moving) => moving.settle(tenant));
  await journey.tell('settled');
  const { counts, pauseMs } = journey;
  return { tenant, from: from.name, to: to.name, ...counts, pauseMs };
}

async function fromWhere(cells: Cells, tenant: string, to: Cell): Promise<Cell> {
  const name = await cells.placements.find(tenant);
  if (name === null) {
    throw new MoveRefused(
      'nowhere',
      `tenant "${tenant}" lives in no cell yet: place it, by ` +
        `pawl tenants place ${tenant} ${to.name}`,
    );
  }
  if (name === to.name) {
    throw new MoveRefused('here', `tenant "${tenant}" lives in cell "${name}" already`);
  }
  const from = cells.named(name);
  const [one, other] = await Promise.all(
    [from, to].map((cell) => cell.use(async ({ moving }) => moving?.kind ?? null)),
  );
  if (one !== null && one === other) return from;
  throw new MoveRefused(
    'kinds',
    `cells "${from.name}" and "${to.name}" are no databases of one kind (${one}, ${other}): ` +
      'choose a cell of the same kind',
  );
}

async function bringAway(journey: Journey, generation: number): Promise<void> {
  const { tenant, to } = journey;
  await journey.there((moving) => moving.expect(tenant, generation));
  await journey.tell('expected');
  const since = await copy(journey, generation);
  await journey.tell('copied');
  journey.pausedAt = performance.now();
  try {
    const departure = { to: to.name, generation, since };
    Object.assign(journey.counts, await journey.here((moving) => moving.depart(tenant, departure)));
  } catch (error) {
    if (!(error instanceof TenantMoved)) throw error;
    throw new MoveRefused('elsewhere', `${error.message} meanwhile: somebody else has moved it`);
  }
  await journey.tell('departed');
}

/** Up to which mark of the log what has ended is copied. */
async function copy(journey: Journey, generation: number): Promise<number> {
  const { tenant } = journey;
  let since = await journey.here((moving) => moving.mark());
  for (let after: string | null = null; ;) {
    const from: string | null = after;
    const page: PackedJobs = await journey.here((moving) => moving.packEnded(tenant, from, PAGE));
    await takeCopies(journey, generation, page);
    after = page.next;
    if (after === null) break;
  }
  for (let round = 0; round < ROUNDS_MAX; round++) {
    const [last, now] = [since, await journey.here((moving) => moving.mark())];
    const page = await journey.here((moving) => moving.packSince(tenant, last, now));
    await takeCopies(journey, generation, page);
    since = now;
    if (page.jobs < FEW) break;
  }
  return since;
}

async function takeCopies(journey: Journey, generation: number, page: PackedJobs): Promise<void> {
  if (page.jobs === 0) return;
  await journey.there((moving) => moving.take(journey.tenant, generation, page.parts));
  journey.counts.copied += page.jobs;
  await journey.tell('copying');
}

/** False where another mover has brought the tenant in meanwhile. */
async function takeIn(
  journey: Journey,
  generation: number,
  parts: DepartedPage['parts'],
): Promise<boolean> {
  const { tenant } = journey;
  try {
    await journey.there((moving) => moving.take(tenant, generation, parts));
    return true;
  } catch (error) {
    const standing = await journey.there((moving) => moving.standing(tenant));
    if (standing.generation < generation) throw error;
    return false;
  }
}

/** Nothing where somebody else has brought it in. */
async function bringIn(journey: Journey, generation: number): Promise<void> {
  const { tenant } = journey;
  const standing = await journey.there((moving) => moving.standing(tenant));
  if (standing.generation >= generation) return;
  let after: number | null = 0;
  while (after !== null) {
    const from: number = after;
    const page: DepartedPage = await journey.here((moving) => moving.departed(tenant, from, PAGE));
    if (page.parts.length > 0 && !(await takeIn(journey, generation, page.parts))) return;
    after = page.next;
  }
  await journey.tell('taken');
  await journey.there((moving) => moving.arrive(tenant, generation));
  await journey.tell('arrived');
}
