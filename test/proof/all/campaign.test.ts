// A campaign of `npm run proof:all` in slices of a few seeds.
import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { inMemory } from '../../support/world.ts';
import { RungOptions } from '../figures.ts';
import { CASTS } from '../simulate/casts.ts';
import { Campaign, type CampaignReport } from './campaign.ts';
import { type Lane, LANES } from './lanes.ts';
import { Ledger } from './ledger.ts';
import { runAll } from './run.ts';

const PLANTED = fileURLToPath(new URL('planted.ts', import.meta.url));
/** Long enough for any machine: what bounds a test is the number of slices. */
const MINUTES = 60;

function folderFor(context: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), 'pawl-campaign-'));
  context.after(() => rmSync(folder, { recursive: true }));
  return folder;
}

/** A lane of the ladder whose slices are a few seeds long. */
function short(name: string, more: Partial<Lane> = {}): Lane {
  const lane = LANES.find((one) => one.name === name)!;
  const args: Lane['args'] = (slice) => lane.args(slice).replace(/--seeds \d+/, '--seeds 2');
  return { ...lane, args, ...more };
}

async function run(
  ledger: Ledger,
  lanes: readonly Lane[],
  more: { slices?: number; stop?: AbortSignal; load?: () => number } = {},
): Promise<CampaignReport> {
  const { slices = 1, stop = new AbortController().signal, load = () => 0 } = more;
  return new Campaign({
    lanes,
    ledger,
    minutes: MINUTES,
    atOnce: 2,
    slices,
    source: { tree: 'a tree', commit: 'a commit' },
    load,
    stop,
    say: () => undefined,
  }).run();
}

test('slices add up over campaigns, and no seed comes twice', async (context) => {
  const path = join(folderFor(context), 'ledger.json');
  const lanes = [short('simulate-flows'), short('simulate-cells')];
  const first = await run(new Ledger(path), lanes);
  const second = await run(new Ledger(path), lanes, { slices: 2 });
  assert.deepEqual([first.violations, second.violations], [[], []]);
  const totals = new Ledger(path).lanes;
  for (const { name, seedsFrom } of lanes) {
    const { next, slices, counts, violations, trees } = totals[name]!;
    const { play } = CASTS[name.replace('simulate-', '')]!;
    const sums: Record<string, number> = { seeds: 6 };
    for (let seed = seedsFrom; seed < seedsFrom + 6; seed++) {
      for (const [what, count] of Object.entries((await play(seed, inMemory)).counts)) {
        sums[what] = (sums[what] ?? 0) + count;
      }
    }
    const { repeatedSteps: _, ...counted } = counts;
    assert.deepEqual(counted, sums, `${name} counted what its six seeds do`);
    assert.deepEqual([next, slices, violations], [seedsFrom + 6, 3, 0]);
    assert.equal(trees['a tree']?.slices, 3);
  }
});

test('a lane with a violation is recorded and not run again, the others go on', async (context) => {
  const ledger = new Ledger(join(folderFor(context), 'ledger.json'));
  const lanes = [short('simulate', { program: PLANTED }), short('simulate-flows')];
  const { violations } = await run(ledger, lanes, { slices: 2 });
  assert.equal(violations.length, 1);
  assert.match(violations[0]!, /^simulate, seed \d+: seed \d+: I8 /);
  const { simulate, 'simulate-flows': flows } = ledger.lanes;
  assert.deepEqual([simulate!.slices, simulate!.violations], [1, 1]);
  assert.match(simulate!.found, /I8/);
  assert.deepEqual([flows!.slices, flows!.violations], [2, 0]);
});

test('lanes whose processes wait for each other are left out while the machine is busy', async (context) => {
  const ledger = new Ledger(join(folderFor(context), 'ledger.json'));
  const lanes = [short('simulate-cells', { loadMax: 5 }), short('simulate-flows')];
  let looks = 0;
  // As busy as that until the other one has been begun.
  await run(ledger, lanes, { load: () => (ledger.lanes['simulate-flows'] ? 4 : 5 + ++looks) });
  assert.deepEqual(
    Object.entries(ledger.lanes).map(([name, { slices }]) => [name, slices]),
    [
      ['simulate-cells', 1],
      ['simulate-flows', 1],
    ],
  );
  assert.ok(looks > 0);
});

test('a slice that ends without a report is a violation', async (context) => {
  const ledger = new Ledger(join(folderFor(context), 'ledger.json'));
  const { violations } = await run(ledger, [short('simulate', { program: 'nowhere.ts' })]);
  assert.match(violations.join(), /ended with 1: .*nowhere\.ts/);
  assert.equal(ledger.lanes['simulate']!.violations, 1);
});

test('who interrupts a campaign loses the slices at hand and nothing else', async (context) => {
  const path = join(folderFor(context), 'ledger.json');
  await run(new Ledger(path), [short('simulate-flows')]);
  const before = readFileSync(path, 'utf8');
  const stop = new AbortController();
  const endless = LANES.find(({ name }) => name === 'simulate-flows')!;
  const running = run(new Ledger(path), [endless], { stop: stop.signal, slices: 9 });
  stop.abort();
  assert.deepEqual((await running).violations, []);
  assert.equal(readFileSync(path, 'utf8'), before);
});

test('the command keeps the ledger and writes the totals into the page', async (context) => {
  const folder = folderFor(context);
  const [ledger, page] = [join(folder, 'ledger.json'), join(folder, 'page.md')];
  writeFileSync(page, 'before\n<!-- proof:all begins -->\n<!-- proof:all ends -->\nbehind\n');
  const args = ['--only', 'simulate-flows', '--slices', '1', '--hours', '0.002'];
  const options = new RungOptions([...args, '--ledger', ledger, '--page', page]);
  const { violations, figures } = await runAll(options, () => undefined);
  assert.deepEqual(violations, []);
  assert.match(String(figures['simulated steps']), / of 1,000,000,000 in /);
  assert.ok(existsSync(ledger));
  assert.match(readFileSync(page, 'utf8'), /^before\n[^]*\| simulate-flows \|[^]*\nbehind\n$/);
  await assert.rejects(
    runAll(new RungOptions(['--only', 'nothing']), () => undefined),
    /there is no lane "nothing": choose of simulate, /,
  );
});
