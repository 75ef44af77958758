// A process of sixteen workers that make, claim and settle jobs until none is left to be made.
import { systemClock } from 'pawl/internal/core/clock';
import { systemIds } from 'pawl/internal/core/ids';
import { systemRandom } from 'pawl/internal/core/random';
import { Engine } from 'pawl/internal/engine/engine';
import { openContext } from 'pawl/internal/engine/open-context';
import { builtInLifecycles as lifecycles } from 'pawl/internal/lifecycles/built-in';
import { openPostgresStore } from 'pawl/internal/store/postgres/store';
import { holdingOf } from '../support/world.ts';

const [url = '', name = '', type = '', quota = '0', documents = '1'] = process.argv.slice(2);
const CLAIMERS = 16;

const store = await openPostgresStore({ url, lifecycles, poolSize: CLAIMERS });
const engine = new Engine(
  openContext({
    store,
    lifecycles,
    random: systemRandom,
    ids: systemIds(systemClock),
    clock: systemClock,
  }),
);
const released = new Set<string>();
let left = Number(quota);

/** Some jobs are given back once, so that slots are freed and taken in every way. */
async function work(owner: string): Promise<void> {
  for (;;) {
    const isMaking = await make();
    const claims = await engine.claim({ owner, types: [type], max: 3 });
    await engine.settle(
      claims.map((claim, index) => ({
        ...holdingOf(claim),
        ending: isGivenBack(claim.job.id, index) ? { kind: 'release' } : { kind: 'succeed' },
      })),
    );
    if (isMaking || claims.length > 0) continue;
    const { jobs } = await store.list({ tenant: 'acme', type, phase: 'ready', limit: 1 });
    if (jobs.length === 0) return;
  }
}

function isGivenBack(id: string, index: number): boolean {
  if (index !== 1 || released.has(id)) return false;
  released.add(id);
  return true;
}

const MOMENT_MS = 25;

/**
 * Keys with a backlog, whose slots go from one to the next, and keys of a moment: all processes
 * come upon such a key at once while it has room, and only its lock keeps them from sharing it.
 */
function documentNow(): string {
  if (systemRandom.next() < 0.5) return `d${Math.floor(systemRandom.next() * Number(documents))}`;
  return `moment ${Math.floor(systemClock.now() / MOMENT_MS)}`;
}

async function make(): Promise<boolean> {
  if (left <= 0) return false;
  left -= 2;
  const caller = { tenant: 'acme', principal: null };
  for (let n = 0; n < 2; n++) {
    await engine.enqueue([{ type, documentId: documentNow() }], { caller });
  }
  return true;
}

process.stdout.write('ready\n');
process.stdin.once('data', () => {
  void Promise.all(Array.from({ length: CLAIMERS }, (_, index) => work(`${name}-${index}`)))
    .then(() => process.stdout.write('done\n'))
    .then(() => store.close())
    .then(() => process.stdin.destroy());
});
