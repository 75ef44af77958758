// Which folder of a package may import from which: only downwards.
import { posix } from 'node:path';
import { importsOf, type SourceFile } from './source.ts';

/** A folder imports from folders of its package with a smaller number. */
export const layers: Readonly<Record<string, number>> = {
  'pawl/core': 0,
  'pawl/lifecycles': 0,
  'pawl/eslint': 0,
  'pawl/store': 1,
  'pawl/records': 1,
  'pawl/handler': 1,
  'pawl/check': 1,
  'pawl/diagram': 1,
  'pawl/artifact': 1,
  'pawl/codec': 1,
  'pawl/codec/wrap': 3,
  'pawl/store/memory': 2,
  'pawl/store/sqlite': 2,
  'pawl/store/postgres': 2,
  'pawl/store/cells': 2,
  'pawl/engine': 2,
  'pawl/engine/schedules': 2,
  'pawl/engine/limits': 2,
  'pawl/engine/retention': 2,
  'pawl/engine/follow': 2,
  'pawl/engine/sweeps': 2,
  'pawl/engine/live': 2,
  'pawl/engine/history': 2,
  'pawl/engine/operations': 2,
  'pawl/engine/what-if': 2,
  'pawl/handle': 2,
  'pawl/tx': 2,
  'pawl/worker/isolate': 2,
  'pawl/worker': 3,
  'pawl/tracing': 3,
  'pawl/client': 3,
  'pawl/testing': 4,
  'pawl/pawl': 4,
  'pawl/doctor': 2,
  'pawl/contract': 2,
  'pawl/outgoing': 1,
  'pawl/define': 3,
  'pawl/settings': 4,
  'pawl/plugin': 4,
  'pawl/drill': 4,
  'pawl/cli/terminal': 4,
  'pawl/cli/commands': 5,
  'pawl/cli': 5,
  'server/outgoing': 1,
  'server/auth': 2,
  'server/metrics': 3,
  'server/slo': 3,
  'server/webhooks': 3,
  'server/http': 3,
  'server/app': 4,
  'server/cli': 5,
  server: 6,
  'pawl/engine/flows': 2,
  'ogc/model': 1,
  'ogc/features': 2,
  'ogc/gateway': 3,
  'ogc/server': 3,
  ogc: 4,
  'studio/deck': 1,
  'studio/sample': 2,
  'studio/work': 2,
  'studio/office': 2,
  'studio/draw': 2,
  'studio/convert': 2,
  'studio/export': 2,
  'studio/reading': 2,
  'studio/ai': 2,
  'studio/small': 2,
  studio: 3,
  'studio/cli': 4,
  move: 4,
  'move/cli': 5,
  'create-pawl': 0,
};

/** A package imports from packages with a smaller number, by their names. */
const packages: Readonly<Record<string, number>> = {
  pawl: 0,
  server: 1,
  ogc: 2,
  studio: 2,
  move: 2,
  'create-pawl': 0,
};

/** Neighbours of the same number that may still import: from, then to. */
const neighbours = new Set([
  'pawl/records > pawl/store',
  'pawl/drill > pawl/pawl',
  'studio/draw > studio/work',
  'studio/convert > studio/work',
  'studio/convert > studio/draw',
  'studio/convert > studio/office',
  'studio/export > studio/work',
  'studio/export > studio/draw',
  'studio/reading > studio/work',
  'studio/reading > studio/convert',
  'studio/ai > studio/work',
  'studio/ai > studio/reading',
  'studio/small > studio/work',
  'studio/small > studio/draw',
  'studio/small > studio/reading',
  'pawl/lifecycles > pawl/core',
  'server/http > server/metrics',
  'server/http > server/slo',
  'server/metrics > server/slo',
  'pawl/tracing > pawl/worker',
  'pawl/engine > pawl/engine/sweeps',
  'pawl/engine/sweeps > pawl/engine',
  'pawl/contract > pawl/doctor',
  'pawl/contract > pawl/engine/what-if',
  'pawl/doctor > pawl/engine',
  'pawl/doctor > pawl/engine/follow',
  'pawl/cli > pawl/cli/commands',
  'pawl/cli/commands > pawl/cli',
  'pawl/engine > pawl/engine/schedules',
  'pawl/engine > pawl/engine/limits',
  'pawl/engine/limits > pawl/engine',
  'pawl/engine/sweeps > pawl/engine/limits',
  'pawl/engine/schedules > pawl/engine',
  'pawl/engine/sweeps > pawl/engine/schedules',
  'pawl/engine > pawl/engine/retention',
  'pawl/engine/retention > pawl/engine',
  'pawl/engine/sweeps > pawl/engine/retention',
  'pawl/engine > pawl/engine/follow',
  'pawl/engine/follow > pawl/engine',
  'pawl/engine > pawl/engine/live',
  'pawl/engine/live > pawl/engine',
  'pawl/engine > pawl/engine/history',
  'pawl/engine/history > pawl/engine',
  'pawl/engine/history > pawl/engine/sweeps',
  'pawl/engine > pawl/engine/what-if',
  'pawl/engine/what-if > pawl/engine',
  'pawl/engine > pawl/engine/operations',
  'pawl/engine/operations > pawl/engine',
  'pawl/engine/sweeps > pawl/engine/operations',
  'pawl/testing > pawl/pawl',
  'pawl/pawl > pawl/plugin',
  'pawl/plugin > pawl/pawl',
  'pawl/plugin > pawl/settings',
  'pawl/settings > pawl/plugin',
  'pawl/settings > pawl/pawl',
  'pawl/engine > pawl/engine/flows',
  'pawl/engine/flows > pawl/engine',
  'pawl/engine/flows > pawl/engine/follow',
  'pawl/engine/follow > pawl/engine/flows',
  'pawl/engine/limits > pawl/engine/flows',
  'pawl/engine/sweeps > pawl/engine/flows',
  'pawl/engine/retention > pawl/engine/flows',
]);

/** `@pawl/server/internal/http/server` → package and path. */
const ours = /^(?:@pawl\/)?(pawl|server|ogc|studio|move|create-pawl)(?:\/|$)/;

const shipped = /^packages\/(?:pawl|server|ogc|studio|move|create-pawl)\/src\//;

/** Tests beside the sources are not shipped, so they may look at any layer. */
export function layerProblems({ path, text }: SourceFile): string[] {
  if (!shipped.test(path) || path.endsWith('.test.ts')) return [];
  if (!isEntry(path) && !isKnown(folderOf(path))) {
    return [`${path}: folder "${folderOf(path)}" has no layer; add it to test/tidy/layers.ts`];
  }
  return importsOf(text).flatMap(({ specifier, line }) => {
    const problem = specifier.startsWith('.')
      ? importProblem(path, posix.join(posix.dirname(path), specifier))
      : packageProblem(path, specifier);
    return problem === undefined ? [] : [`${path}:${line}: ${problem}`];
  });
}

function packageProblem(path: string, specifier: string): string | undefined {
  const [, to] = ours.exec(specifier) ?? [];
  const [, from = ''] = path.split('/');
  if (to === undefined || packages[to]! < packages[from]!) return undefined;
  return `the package ${from} may not import from ${to}`;
}

function importProblem(path: string, target: string): string | undefined {
  if (!shipped.test(target)) return `imports ${target}, which is not shipped`;
  const [from, to] = [folderOf(path), folderOf(target)];
  if (from.split('/')[0] !== to.split('/')[0]) return 'imports another package by its path';
  if (isEntry(path)) return undefined;
  if (isEntry(target)) return 'imports the package entry, which is the top layer';
  if (from === to || neighbours.has(`${from} > ${to}`)) return undefined;
  if (!isKnown(to)) return `imports from "${to}", which has no layer in test/tidy/layers.ts`;
  if (numberOf(to) < numberOf(from)) return undefined;
  return `${from} (${numberOf(from)}) may not import from ${to} (${numberOf(to)})`;
}

function isEntry(path: string): boolean {
  return /^packages\/[\w-]+\/src\/index\.ts$/.test(path);
}

/** `packages/pawl/src/store/sqlite/store.ts` → `pawl/store/sqlite`. */
function folderOf(path: string): string {
  return posix.dirname(path).replace(/^packages\/([\w-]+)\/src/, '$1');
}

function isKnown(folder: string): boolean {
  return Object.hasOwn(layers, folder);
}

function numberOf(folder: string): number {
  return layers[folder] ?? Number.NaN;
}
