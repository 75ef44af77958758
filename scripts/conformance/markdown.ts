// The matrix as a document and as lines for a terminal.
import { countVerdicts, type Matrix, type MatrixRow, type Verdict } from './matrix.ts';

const signs: Readonly<Record<Verdict, string>> = { pass: '✅', fail: '❌', missing: '—' };

/** The whole of docs/conformance.md; equal results give an equal text. */
export function toMarkdown({ sections }: Matrix): string {
  const totals = sections.map(({ title, rows }) => totalsRow(title, rows));
  const all = totalsRow(
    '**All**',
    sections.flatMap(({ rows }) => rows),
  );
  const tables = sections.flatMap(({ title, rows }) => [
    `## ${title}`,
    '',
    '| id | must hold | result | shown by |',
    '|---|---|:-:|---|',
    ...rows.map(requirementRow),
    '',
  ]);
  return [
    '# Conformance',
    '',
    'Which requirement is shown to hold by which test. Written by `npm run conformance` from a',
    'real run; do not edit. ✅ every test that carries the id passed, ❌ at least one failed,',
    '— no test with the id has run (a skipped test does not count).',
    '',
    '| document | rows | ✅ | ❌ | — |',
    '|---|--:|--:|--:|--:|',
    ...totals,
    all,
    '',
    ...tables,
  ].join('\n');
}

function totalsRow(title: string, rows: readonly MatrixRow[]): string {
  const { pass, fail, missing } = countVerdicts(rows);
  return `| ${cell(title)} | ${rows.length} | ${pass} | ${fail} | ${missing} |`;
}

/** The same sentence shown on several stores is one line with a count; failures come first. */
function requirementRow({ id, statement, verdict, tests }: MatrixRow): string {
  const groups = Map.groupBy(tests, ({ titles, outcome }) => {
    const sign = outcome === 'failed' ? `${signs.fail} ` : '';
    return `${sign}${cell(titles.at(-1) ?? '')}`;
  });
  const lines = [...groups]
    .map(([title, group]) => `${title} (${filesOf(group)})`)
    .sort((one, other) => Number(isFailure(other)) - Number(isFailure(one)));
  return `| ${id} | ${statement} | ${signs[verdict]} | ${lines.join('<br>')} |`;
}

function isFailure(line: string): boolean {
  return line.startsWith(signs.fail);
}

function filesOf(tests: MatrixRow['tests']): string {
  const files = [...new Set(tests.map(({ file }) => file))].sort();
  const times = tests.length > 1 ? `, ${tests.length} times` : '';
  return `${files.map((file) => `\`${file}\``).join(', ')}${times}`;
}

// Statements come from a table and fit into one; titles may hold anything.
function cell(text: string): string {
  return text
    .replaceAll(/(?<!\\)\|/g, '\\|')
    .replaceAll('<', '&lt;')
    .replaceAll('\n', ' ');
}

/** One line a requirement, failures with the tests that failed, then totals. */
export function toText({ sections, unknownIds }: Matrix): string {
  const lines = sections.flatMap(({ title, rows }) => {
    const { pass, fail, missing } = countVerdicts(rows);
    return [
      title,
      ...rows.flatMap(requirementLines),
      `  ${pass} pass, ${fail} fail, ${missing} missing, of ${rows.length}`,
      '',
    ];
  });
  const all = countVerdicts(sections.flatMap(({ rows }) => rows));
  const unknown = unknownIds.map((id) => `A test names ${id}, which is no requirement`);
  return [...lines, ...unknown, `${all.pass} pass, ${all.fail} fail, ${all.missing} missing`].join(
    '\n',
  );
}

function requirementLines({ id, verdict, tests }: MatrixRow): string[] {
  const count = tests.length === 1 ? '1 test' : `${tests.length} tests`;
  const failed = tests.filter(({ outcome }) => outcome === 'failed');
  return [
    `  ${id.padEnd(4)} ${verdict.padEnd(8)}${verdict === 'missing' ? '' : count}`.trimEnd(),
    ...failed.map(({ file, titles }) => `         ✗ ${file}: ${titles.join(' › ')}`),
  ];
}
