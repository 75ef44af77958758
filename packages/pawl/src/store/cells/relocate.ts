import { setTimeout as sleep } from 'node:timers/promises';
import { StoreError, TenantMoved } from '../store-error.ts';
import type { Cells } from './cells.ts';

/** A tenant can move again while somebody looks for it, but hardly so often. */
const TRIES_MAX = 10;
const PAUSE_MS = 10;
/** For so long a write waits for a tenant that is on its way. */
const WAIT_MS = 10_000;

/** Null where a database refused because a tenant has moved from there. */
export async function unlessMoved<Answer>(
  tries: number,
  body: () => Promise<Answer>,
): Promise<Answer | null> {
  try {
    return await body();
  } catch (error) {
    if (error instanceof TenantMoved && tries < TRIES_MAX) return null;
    throw error;
  }
}

/** Looks where the tenants live now; waits for those that have left a cell and not yet arrived. */
export async function relocate(cells: Cells, tenants: readonly string[]): Promise<void> {
  for (const tenant of new Set(tenants)) {
    let leftFor = await whereTo(cells, tenant);
    for (let waited = 0; leftFor !== null && waited < WAIT_MS; waited += PAUSE_MS) {
      await sleep(PAUSE_MS);
      leftFor = await whereTo(cells, tenant);
    }
    if (leftFor === null) continue;
    const message = `tenant "${tenant}" is on its way to cell "${leftFor}" and has not arrived`;
    const command = `pawl tenants move ${tenant} ${leftFor}`;
    const remedy = `try again; where its move has stopped, run ${command}`;
    throw new StoreError('unchanged', `${message}: ${remedy}`);
  }
}

async function whereTo(cells: Cells, tenant: string): Promise<string | null> {
  const name = await cells.placements.find(tenant);
  if (name === null) return null;
  const standing = await cells.named(name).use(async (store) => store.moving?.standing(tenant));
  return standing?.leftFor ?? null;
}
