// A process of eight workers that make jobs of several users, then claim and settle what they get.
import { systemClock } from 'pawl/internal/core/clock';
import { systemIds } from 'pawl/internal/core/ids';
import { systemRandom } from 'pawl/internal/core/random';
import { Engine } from 'pawl/internal/engine/engine';
import { openContext } from 'pawl/internal/engine/open-context';
import { builtInLifecycles as lifecycles } from 'pawl/internal/lifecycles/built-in';
import { openPostgresStore } from 'pawl/internal/store/postgres/store';
import { holdingOf } from '../support/world.ts';

const [url = '', name = '', users = '', quota = '0'] = process.argv.slice(2);
const CLAIMERS = 8;
/** Where tokens do not come again, so many claims without one say that they are used up. */
const EMPTY_MAX = 10;

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

async function make(type: string): Promise<void> {
  for (let n = 0; n < Number(quota); n++) {
    for (const principal of users.split(',')) {
      await engine.enqueue([{ type }], { caller: { tenant: 'acme', principal } });
    }
  }
}

/** Until all jobs are done, or so many claims in a row had none. */
async function work(owner: string, type: string, emptyMax: number): Promise<void> {
  for (let empty = 0; empty < emptyMax;) {
    const claims = await engine.claim({ owner, types: [type], max: 3 });
    const ending = { kind: 'succeed' } as const;
    await engine.settle(claims.map((claim) => ({ ...holdingOf(claim), ending })));
    empty = claims.length === 0 ? empty + 1 : 0;
    if (claims.length > 0) continue;
    await engine.sweepDue();
    const { jobs } = await store.list({ tenant: 'acme', type, phase: 'ready', limit: 1 });
    if (jobs.length === 0) return;
  }
}

/** Everyone claims while the jobs are made, and once more when all of them are. */
async function play(type: string, emptyMax: number): Promise<void> {
  const owners = Array.from({ length: CLAIMERS }, (_, index) => `${name}-${index}`);
  const claimers = () => owners.map((owner) => work(owner, type, emptyMax));
  await Promise.all([make(type), ...claimers()]);
  await Promise.all(claimers());
}

async function playAll(): Promise<void> {
  for (const type of ['byUser', 'byTenant', 'both']) await play(type, EMPTY_MAX);
  await play('paced', Infinity);
}

process.stdout.write('ready\n');
process.stdin.once('data', () => {
  void playAll()
    .then(() => process.stdout.write('done\n'))
    .then(() => store.close())
    .then(() => process.stdin.destroy());
});
