import type { JobJson } from '../../contract/job.ts';
import type { Screen } from '../terminal/screen.ts';
import { type Column, tableLines } from '../terminal/table.ts';
import { sinceText } from '../terminal/words.ts';

function columnsFor(screen: Screen, now: number): Column<JobJson>[] {
  return [
    { title: 'ID', text: ({ id }) => id },
    { title: 'TYPE', text: ({ type }) => type },
    {
      title: 'STATE',
      text: ({ state }) => state,
      paint: ({ phase }, text) => screen.paintPhase(phase, text),
    },
    { title: '%', text: ({ progress }) => Math.round(progress), isRight: true },
    { title: 'ATTEMPT', text: ({ attempts, maxAttempts }) => `${attempts}/${maxAttempts}` },
    { title: 'CREATED', text: ({ createdAt }) => sinceText(createdAt, now) },
    { title: 'MESSAGE', text: ({ error, message, stage }) => error?.message ?? message ?? stage },
  ];
}

/** Jobs as a table. */
export function jobLines(screen: Screen, jobs: readonly JobJson[], now: number): string[] {
  return tableLines(screen, columnsFor(screen, now), jobs);
}
