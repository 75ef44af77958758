// docs/reference/lifecycles.md and its pictures, made from the tables themselves.
import { mermaidOf } from 'pawl/internal/diagram/mermaid';
import { svgOf } from 'pawl/internal/diagram/svg';
import {
  type Lifecycle,
  opensEpoch,
  type Place,
  type Transition,
} from 'pawl/internal/core/lifecycle';
import { builtInLifecycles } from 'pawl/internal/lifecycles/built-in';

const folder = 'docs/reference';

/** What each lifecycle is for, in one sentence. */
const purposes: Readonly<Record<string, string>> = {
  document:
    'Document jobs: at most three retries, one second apart, by a policy nobody may change.',
  process:
    'Processes of a remote provider, in the words of OGC API – Processes: each poll is a turn, ' +
    'quiet when nothing is new.',
  platform:
    'The orchestration platform: six transitions, no cancellation; a fatal error goes through ' +
    'RETRY to DEAD.',
  task: 'Typed jobs such as convert, export and ai: waiting out a backoff is still `running`.',
  distributed:
    'Distributed reliability: claiming and starting are two steps, and every return opens a new ' +
    'epoch.',
};

/** Every generated file by its path from the root of the repository; equal tables, equal text. */
export function lifecycleFiles(): ReadonlyMap<string, string> {
  const pictures = builtInLifecycles.map(
    (lifecycle) => [`${folder}/lifecycles/${lifecycle.name}.svg`, svgOf(lifecycle)] as const,
  );
  return new Map([[`${folder}/lifecycles.md`, page()], ...pictures]);
}

function page(): string {
  return [
    '# Lifecycles',
    '',
    'Written by `npm run reference` from `packages/pawl/src/lifecycles`; do not edit.',
    '',
    'A lifecycle is a table of rows: a trigger moves a job from one place to another if the guard',
    'holds. A place is a state (the word of the lifecycle) in a phase (the word of the engine).',
    'What no row lists is refused, by the code and by the database. Rows marked ↻ open a new',
    'epoch: the only way to start over.',
    '',
    '- `mayRetry`: the error is retryable and attempts are left.',
    '- `deadLetters`: the end belongs in the dead-letter queue, by request or by policy.',
    '- quiet: the row keeps the version and writes no event.',
    '',
    ...builtInLifecycles.flatMap(section),
  ].join('\n');
}

function section(lifecycle: Lifecycle): readonly string[] {
  const { name, version, transitions } = lifecycle;
  const purpose = purposes[name];
  if (purpose === undefined) throw new Error(`scripts/diagrams/pages.ts does not describe ${name}`);
  return [
    `## ${name} v${version}`,
    '',
    purpose,
    '',
    `![The lifecycle ${name}](lifecycles/${name}.svg)`,
    '',
    '| trigger | from | to | if | epoch | remarks |',
    '|---|---|---|---|:-:|---|',
    ...transitions.map((row) => tableRow(lifecycle, row)),
    '',
    '```mermaid',
    mermaidOf(lifecycle).trimEnd(),
    '```',
    '',
  ];
}

function tableRow(lifecycle: Lifecycle, row: Transition): string {
  const remarks = [
    ...(row.quiet ? ['quiet'] : []),
    ...(row.countsRetry ? ['counts a retry'] : []),
  ].join(', ');
  const cells = [
    `\`${row.on}\``,
    placeCell(lifecycle, row.from),
    placeCell(lifecycle, row.to),
    row.when === null ? '' : `\`${row.when}\``,
    opensEpoch(row.from, row.to) ? '↻' : '',
    remarks,
  ];
  return `| ${cells.join(' | ')} |`;
}

function placeCell({ places }: Lifecycle, { state, phase }: Place): string {
  const isAlone = places.filter((place) => place.state === state).length === 1;
  return isAlone ? state : `${state} (${phase})`;
}
