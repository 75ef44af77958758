// A process of sixteen claimers that take jobs until none is left and print what they won.
import { systemClock } from 'pawl/internal/core/clock';
import { systemIds } from 'pawl/internal/core/ids';
import { systemRandom } from 'pawl/internal/core/random';
import { Engine } from 'pawl/internal/engine/engine';
import { openContext } from 'pawl/internal/engine/open-context';
import { builtInLifecycles as lifecycles } from 'pawl/internal/lifecycles/built-in';
import { openPostgresStore } from 'pawl/internal/store/postgres/store';

const [url = '', name = ''] = process.argv.slice(2);
const CLAIMERS = 16;

const store = await openPostgresStore({ url, lifecycles, poolSize: CLAIMERS });
const engine = new Engine(
  openContext({ store, lifecycles, random: systemRandom, ids: systemIds(systemClock) }),
);

async function takeAll(owner: string): Promise<string[]> {
  const won: string[] = [];
  for (;;) {
    const claims = await engine.claim({ owner, types: ['index'], max: 3 });
    if (claims.length === 0) return won;
    won.push(...claims.map(({ job }) => `${job.id}/${job.epoch}`));
  }
}

process.stdout.write('ready\n');
process.stdin.once('data', () => {
  void Promise.all(Array.from({ length: CLAIMERS }, (_, index) => takeAll(`${name}-${index}`)))
    .then((won) => process.stdout.write(`${JSON.stringify(won.flat())}\n`))
    .then(() => store.close())
    .then(() => process.stdin.destroy());
});
