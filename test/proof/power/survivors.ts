// `survivors.ts <folder>`: what a database is like after its disk has lost power, as JSON.
import { DatabaseSync } from 'node:sqlite';
import { verify } from '../../../src/doctor/verify.ts';
import { systemClock } from '../../../src/core/clock.ts';
import { systemIds } from '../../../src/core/ids.ts';
import { systemRandom } from '../../../src/core/random.ts';
import { Engine } from '../../../src/engine/engine.ts';
import { builtInLifecycles as lifecycles } from '../../../src/lifecycles/built-in.ts';
import { openSqliteStore } from '../../../src/store/sqlite/store.ts';

const [folder = ''] = process.argv.slice(2);
const path = `${folder}/jobs.db`;
const store = await openSqliteStore({ path, lifecycles });
const engine = new Engine({ store, lifecycles, random: systemRandom, ids: systemIds(systemClock) });
const violations: unknown[] = [];
for await (const step of verify(engine.context)) {
  if (step.kind === 'violation') violations.push(step.violation);
}
const ids: string[] = [];
for (let before: string | undefined; ;) {
  const query = { tenant: 'acme', limit: 1_000, ...(before === undefined ? {} : { before }) };
  const page = await store.list(query);
  ids.push(...page.jobs.map(({ id }) => id));
  before = page.jobs.at(-1)?.id;
  if (!page.hasMore || before === undefined) break;
}
await store.close();
const db = new DatabaseSync(path);
const integrity = db.prepare('PRAGMA integrity_check').get()?.['integrity_check'];
db.close();
process.stdout.write(JSON.stringify({ ids, integrity, violations }));
