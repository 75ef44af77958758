import type { QueueJson } from '../../../../pawl/src/contract/queue.ts';

/** How a queue stands: the word, and the colour of the phase that is most like it. */
export function standing({ isPaused, isShedding }: QueueJson): readonly [string, string] {
  if (isPaused) return ['paused', 'waiting'];
  return isShedding ? ['refusing', 'failed'] : ['open', 'succeeded'];
}

/** With a plus where there may be more than were counted. */
export function counted({ phases, atLeast }: QueueJson, phase: string): string {
  return `${(phases[phase] ?? 0).toLocaleString('en')}${atLeast.includes(phase) ? '+' : ''}`;
}
