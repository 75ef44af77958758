// A process of sixteen claimers that take jobs until none is left and print what they won.
import { systemClock } from '../../src/core/clock.ts';
import { systemIds } from '../../src/core/ids.ts';
import { systemRandom } from '../../src/core/random.ts';
import { Engine } from '../../src/engine/engine.ts';
import { openContext } from '../../src/engine/open-context.ts';
import { builtInLifecycles as lifecycles } from '../../src/lifecycles/built-in.ts';
import { openPostgresStore } from '../../src/store/postgres/store.ts';

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
