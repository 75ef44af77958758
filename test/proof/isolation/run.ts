import { SeededRandom } from 'pawl/internal/core/random';
import { freshDatabase } from '../../support/postgres/fresh-database.ts';
import { postgresServers } from '../../support/postgres/servers.ts';
import { grouped, type Rung } from '../figures.ts';
import { CARE, VERBS } from './acts.ts';
import { Ground } from './ground.ts';
import { groupsOf, ordersOf } from './orders.ts';
import { runRace } from './race.ts';

const VIOLATIONS_MAX = 20;

/**
 * `--sessions 2 --share 1 --only claim+renew --seed 1 --minutes 10`: every order of the steps of
 * every pair (or three) of verbs on every server; with `--share 0.1` a tenth of them, by chance;
 * with `--from 500` those after the first 500.
 */
export const runIsolation: Rung = async (options, say) => {
  const count = options.number('sessions', 2);
  const share = options.number('share', 1);
  const only = options.text('only');
  const isTimeLeft = options.isTimeLeft();
  const names = [...Object.keys(VERBS), ...Object.keys(CARE)];
  const wanted = only?.split('+') ?? [];
  const groups = groupsOf(names, count).filter((one) => wanted.every((name) => one.includes(name)));
  const orders = ordersOf(count, 2);
  const figures: Record<string, string | number> = { verbs: names.length, groups: groups.length };
  const violations: string[] = [];
  for (const server of await postgresServers()) {
    const random = new SeededRandom(options.number('seed', 1));
    const database = await freshDatabase(server);
    const ground = await Ground.open(database.url, count);
    let [races, waited, givenUp] = [0, 0, 0];
    let left = options.number('from', 0);
    for (const group of groups) {
      for (const order of orders) {
        if (!isTimeLeft() || violations.length >= VIOLATIONS_MAX) break;
        if (random.next() >= share) continue;
        if (left-- > 0) continue;
        const report = await runRace(ground, group, order);
        races += 1;
        waited += report.waited;
        givenUp += report.givenUp;
        violations.push(...report.violations);
        if (races % 100 === 0) say(`${server.label}: ${grouped(races)}, ${violations.length}`);
      }
    }
    figures[server.label] =
      `${grouped(races)} orders, ${grouped(waited)} waits, ${grouped(givenUp)} taken back`;
    await ground.close();
    await database.drop();
  }
  return { figures, violations };
};
