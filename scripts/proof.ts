// `npm run proof:<rung> -- [arguments]`: one rung of the ladder in docs/proof.md, with its figures.
// `--report file` writes what a campaign adds up, as JSON.
import { writeFileSync } from 'node:fs';
import { type Rung, RungOptions, tell } from '../test/proof/figures.ts';

const rungs: Readonly<Record<string, () => Promise<Rung>>> = {
  explore: async () => (await import('../test/proof/explore/run.ts')).runExplore,
  simulate: async () => (await import('../test/proof/simulate/run.ts')).runSimulate,
  crash: async () => (await import('../test/proof/crash/run.ts')).runCrash,
  mutants: async () => (await import('../test/proof/mutants/run.ts')).runMutants,
  power: async () => (await import('../test/proof/power/run.ts')).runPower,
  races: async () => (await import('../test/proof/races/run.ts')).runRaces,
  moves: async () => (await import('../test/proof/moves/run.ts')).runMoves,
  kills: async () => (await import('../test/proof/kills/run.ts')).runKills,
  fuzz: async () => (await import('../test/proof/fuzz/run.ts')).runFuzz,
  fleet: async () => (await import('../test/proof/fleet/run.ts')).runFleet,
  failover: async () => (await import('../test/proof/failover/run.ts')).runFailover,
  ogc: async () => (await import('../test/proof/ogc/run.ts')).runOgc,
  disks: async () => (await import('../test/proof/disks/run.ts')).runDisks,
  load: async () => (await import('../test/proof/load/run.ts')).runLoad,
  soak: async () => (await import('../test/proof/soak/run.ts')).runSoakRung,
  isolation: async () => (await import('../test/proof/isolation/run.ts')).runIsolation,
  'ogc-suite': async () => (await import('../test/proof/ogc-suite/run.ts')).runOgcSuite,
  pygeoapi: async () => (await import('../test/proof/pygeoapi/run.ts')).runPygeoapi,
  decks: async () => (await import('../packages/studio/test/decks/run.ts')).runDecks,
  differential: async () => (await import('../test/proof/differential/run.ts')).runDifferential,
  all: async () => (await import('../test/proof/all/run.ts')).runAll,
  schemathesis: async () => (await import('../test/proof/schemathesis/run.ts')).runSchemathesis,
};

const [name = '', ...args] = process.argv.slice(2);
const load = rungs[name];
if (load === undefined) {
  process.stderr.write(
    `proof: "${name}" is unknown: choose one of ${Object.keys(rungs).join(', ')}\n`,
  );
  process.exit(2);
}
const startedAt = performance.now();
const rung = await load();
const options = new RungOptions(args);
const report = await rung(options, (line) => void process.stdout.write(`${line}\n`));
const file = options.text('report');
if (file !== null) writeFileSync(file, JSON.stringify(report));
const seconds = Math.round((performance.now() - startedAt) / 1_000);
const figures = { ...report.figures, 'time, seconds': seconds };
process.stdout.write(`\n${tell(name, { ...report, figures })}\n`);
process.exit(report.violations.length === 0 ? 0 : 1);
