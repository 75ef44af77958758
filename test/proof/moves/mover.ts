// A process that moves a tenant once, tells of each step, and is killed at one of them.
import { once } from 'node:events';
import { openCells } from 'pawl/internal/store/cells/store';
import { postgresSource } from '../../support/moving-cells.ts';
import { TENANT } from '../../support/moving.ts';

const [urls = '{}', to = ''] = process.argv.slice(2);
const places = Object.entries(JSON.parse(urls) as Record<string, string>);
const store = await openCells({ cells: places.map(([name, url]) => postgresSource(name, url)) });
await store.cells.move(TENANT, to, async ({ step }) => {
  process.stdout.write(`${step}\n`);
  // Whoever waits for this step kills the process here, with nothing of the next one done.
  if (step === process.argv[4]) await once(process.stdin.resume(), 'end');
});
await store.close();
