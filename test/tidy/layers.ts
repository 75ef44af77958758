// Which folder of `src` may import from which: only downwards.
import { posix } from 'node:path';
import { importsOf, type SourceFile } from './source.ts';

/** A folder imports from folders with a smaller number. New folders must be added here. */
export const layers: Readonly<Record<string, number>> = {
  core: 0,
  lifecycles: 0,
  store: 1,
  records: 1,
  handler: 1,
  check: 1,
  diagram: 1,
  artifact: 1,
  outgoing: 1,
  codec: 1,
  'codec/wrap': 3,
  'store/memory': 2,
  'store/sqlite': 2,
  'store/postgres': 2,
  engine: 2,
  'engine/schedules': 2,
  'engine/limits': 2,
  'engine/retention': 2,
  'engine/follow': 2,
  'engine/sweeps': 2,
  'engine/live': 2,
  'engine/flows': 2,
  handle: 2,
  tx: 2,
  'worker/isolate': 2,
  worker: 3,
  auth: 2,
  metrics: 3,
  slo: 3,
  tracing: 3,
  'http/schema': 2,
  http: 3,
  webhooks: 3,
  'ogc/model': 1,
  'ogc/gateway': 3,
  'ogc/server': 3,
  ogc: 3,
  client: 3,
  'studio/deck': 1,
  'studio/sample': 2,
  'studio/work': 2,
  'studio/draw': 2,
  'studio/convert': 2,
  'studio/export': 2,
  'studio/reading': 2,
  'studio/ai': 2,
  'studio/small': 2,
  studio: 3,
  testing: 4,
  pawl: 4,
  doctor: 2,
  move: 4,
  app: 4,
  'cli/terminal': 4,
  'cli/commands': 5,
  cli: 5,
};

/** Neighbours of the same number that may still import: from, then to. */
const neighbours = new Set([
  'records > store',
  'studio/draw > studio/work',
  'studio/convert > studio/work',
  'studio/convert > studio/draw',
  'studio/export > studio/work',
  'studio/export > studio/draw',
  'studio/reading > studio/work',
  'studio/reading > studio/convert',
  'studio/ai > studio/work',
  'studio/ai > studio/reading',
  'studio/small > studio/work',
  'studio/small > studio/draw',
  'studio/small > studio/reading',
  'http > webhooks',
  'ogc/server > http',
  'ogc/gateway > worker',
  'lifecycles > core',
  'http > metrics',
  'http > slo',
  'http/schema > slo',
  'http > tracing',
  'metrics > slo',
  'metrics > worker',
  'tracing > worker',
  'engine > engine/sweeps',
  'engine/sweeps > engine',
  'http/schema > auth',
  'http/schema > doctor',
  'doctor > engine',
  'doctor > engine/follow',
  'cli > cli/commands',
  'cli/commands > cli',
  'engine > engine/schedules',
  'engine > engine/limits',
  'engine/limits > engine',
  'engine/sweeps > engine/limits',
  'engine/schedules > engine',
  'engine/sweeps > engine/schedules',
  'engine > engine/retention',
  'engine/retention > engine',
  'engine/sweeps > engine/retention',
  'engine > engine/follow',
  'engine/follow > engine',
  'engine > engine/live',
  'engine > engine/flows',
  'engine/flows > engine',
  'engine/flows > engine/follow',
  'engine/follow > engine/flows',
  'engine/limits > engine/flows',
  'engine/sweeps > engine/flows',
  'engine/retention > engine/flows',
  'engine/live > engine',
  'testing > pawl',
]);

const entryFile = 'src/index.ts';

/** Tests beside the sources are not shipped, so they may look at any layer. */
export function layerProblems({ path, text }: SourceFile): string[] {
  if (!path.startsWith('src/') || path.endsWith('.test.ts')) return [];
  if (path !== entryFile && !isKnown(folderOf(path))) {
    return [`${path}: folder "${folderOf(path)}" has no layer; add it to test/tidy/layers.ts`];
  }
  return importsOf(text).flatMap(({ specifier, line }) => {
    if (!specifier.startsWith('.')) return [];
    const target = posix.join(posix.dirname(path), specifier);
    const problem = importProblem(path, target);
    return problem === undefined ? [] : [`${path}:${line}: ${problem}`];
  });
}

function importProblem(path: string, target: string): string | undefined {
  if (!target.startsWith('src/')) return `imports ${target}, which is not shipped`;
  if (path === entryFile) return undefined;
  if (target === entryFile) return 'imports the package entry, which is the top layer';
  const from = folderOf(path);
  const to = folderOf(target);
  if (from === to || neighbours.has(`${from} > ${to}`)) return undefined;
  if (!isKnown(to)) return `imports from "${to}", which has no layer in test/tidy/layers.ts`;
  if (numberOf(to) < numberOf(from)) return undefined;
  return `${from} (${numberOf(from)}) may not import from ${to} (${numberOf(to)})`;
}

function folderOf(path: string): string {
  return posix.dirname(path).replace(/^src\/?/, '');
}

function isKnown(folder: string): boolean {
  return Object.hasOwn(layers, folder);
}

function numberOf(folder: string): number {
  return layers[folder] ?? Number.NaN;
}
