// A process of this release, or of the next, that enqueues, claims, renews and settles one job
// after the other until it is told to stop, and then says what it did. Any failure ends it.
import { systemClock } from 'pawl/internal/core/clock';
import { systemIds } from 'pawl/internal/core/ids';
import { systemRandom } from 'pawl/internal/core/random';
import { Engine } from 'pawl/internal/engine/engine';
import { openContext } from 'pawl/internal/engine/open-context';
import { builtInLifecycles as lifecycles } from 'pawl/internal/lifecycles/built-in';
import { openPostgresStore } from 'pawl/internal/store/postgres/store';
import { nextReleasePool } from '../support/postgres/next-release.ts';

const [url = '', owner = '', release = ''] = process.argv.slice(2);
const TENANT = 'acme';

const pool = release === 'next' ? nextReleasePool(url) : undefined;
const store = await openPostgresStore({ url, pool, lifecycles, poolSize: 4 });
const engine = new Engine(
  openContext({ store, lifecycles, random: systemRandom, ids: systemIds(systemClock) }),
);

const submitted: string[] = [];
const completed: { jobId: string; epoch: number }[] = [];
const turnMs: number[] = [];
const stopping = new AbortController();
process.stdin.once('data', () => stopping.abort());

function expect(kinds: readonly string[], wanted: string): void {
  if (kinds.every((kind) => kind === wanted)) return;
  throw new Error(`${owner}: ${kinds.join(', ')} instead of ${wanted}`);
}

async function takeTurn(): Promise<void> {
  const caller = { tenant: TENANT, principal: owner };
  const [made] = await engine.enqueue([{ type: 'mail', input: { to: owner } }], { caller });
  if (made!.kind !== 'created') throw new Error(`a job was not accepted: ${made!.kind}`);
  submitted.push(made!.job.id);
  const claims = await engine.claim({ owner, types: ['mail'], max: 2 });
  const held = claims.map(({ job }) => ({ ref: job, owner, epoch: job.epoch }));
  const renewed = await engine.renew(held.map((one) => ({ ...one, progress: 50 })));
  expect(
    renewed.map(({ kind }) => kind),
    'renewed',
  );
  const endings = held.map((one) => ({ ...one, ending: { kind: 'succeed' } as const }));
  const settled = await engine.settle(endings);
  expect(
    settled.map(({ kind }) => kind),
    'moved',
  );
  completed.push(...held.map(({ ref, epoch }) => ({ jobId: ref.id, epoch })));
}

process.stdout.write('ready\n');
while (!stopping.signal.aborted) {
  const began = performance.now();
  await takeTurn();
  turnMs.push(performance.now() - began);
  process.stdout.write(`${completed.length}\n`);
}
await store.close();
await pool?.end();
process.stdout.write(`${JSON.stringify({ submitted, completed, turnMs })}\n`);
process.stdin.destroy();
