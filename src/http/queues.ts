import type { Tally } from '../store/query.ts';
import { type App, callerOf, type Face, type Resource, routes } from './face.ts';
import { timeText } from './view.ts';

function queueJson(name: string, tallies: readonly Tally[]): Record<string, unknown> {
  const depths: Record<string, number> = {};
  for (const { phase, count } of tallies) depths[phase] = (depths[phase] ?? 0) + count;
  const ready = tallies.filter(({ phase }) => phase === 'ready').map((one) => one.oldestRunAt);
  return {
    name,
    depth: depths['ready'] ?? 0,
    phases: depths,
    oldestReadyAt: ready.length === 0 ? null : timeText(Math.min(...ready)),
    types: [...new Set(tallies.map(({ type }) => type))],
  };
}

function listQueues(app: App, { engine }: Face): void {
  app.get('/v1/queues', { schema: { summary: 'Queues and their depth' } }, async (request) => {
    const tallies = await engine.tally(callerOf(request).tenant);
    const queues = Map.groupBy(tallies, ({ queue }) => queue);
    return { items: [...queues].map(([name, own]) => queueJson(name, own)), nextCursor: null };
  });
}

/** `/v1/queues`. */
export const queues: Resource = routes(listQueues);
