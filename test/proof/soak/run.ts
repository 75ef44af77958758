import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { grouped, type Rung } from '../figures.ts';
import { chartOf, growthOf } from './chart.ts';
import { MEASURES, runSoak, type SoakReport } from './soak.ts';
import { judge, seriesOf, type Verdict } from './verdict.ts';

function verdictOf(report: SoakReport, minutes: number): Verdict {
  const { told, violations } = judge(report, minutes);
  return { told, violations: [...report.violations, ...violations] };
}

/** A page of results: the command, what was done, and a chart of each measure. */
export function pageOf(report: SoakReport, asked: { minutes: number; perSecond: number }): string {
  const { minutes, perSecond } = asked;
  const { told, violations } = verdictOf(report, minutes);
  const pace = (report.made / (minutes * 60)).toFixed(0);
  const charts = MEASURES.map((name) => {
    const values = seriesOf(report, name);
    return chartOf(
      `${name}; last third ÷ the third before: ${growthOf(values).toFixed(2)}`,
      values,
    );
  });
  return `# A soak

\`npm run proof:soak -- --minutes ${minutes} --rate ${perSecond}\`

One process on SQLite with all roles. Up to ${perSecond} jobs a second come in over HTTP, of kinds
that succeed, try again, fail for good and write notes; some are cancelled, some waited for; a
schedule fires each second; two readers of the stream come and go, and lists are read. Notes, fired
slots and dead letters are kept for two minutes; jobs and their events for a day, the least there
is, so the file grows by a constant for each job: \`npm run bench:long-run\` shows the days on
which they go, too. ${grouped(report.made)} jobs were made (${pace} a second);
${report.looks.length} looks, time from left to right over ${minutes} minutes.

The verdict: ${told}. Violations: ${violations.length === 0 ? 'none' : violations.join('; ')}.

\`\`\`text
${charts.join('\n\n')}
\`\`\`
`;
}

/** `--minutes 30 --rate 40 --page bench/results/soak.md`. */
export const runSoakRung: Rung = async (options, say) => {
  const minutes = options.number('minutes', 30);
  const perSecond = options.number('rate', 40);
  const folder = mkdtempSync(join(tmpdir(), 'pawl-soak-'));
  try {
    const everyMs = Math.max(1_000, (minutes * 60_000) / 120);
    const report = await runSoak({ minutes, perSecond, everyMs, folder, say });
    const page = pageOf(report, { minutes, perSecond });
    const place = options.text('page');
    if (place === null) say(page);
    else writeFileSync(place, page);
    const told = MEASURES.map((name) => {
      const values = seriesOf(report, name).map((value) => Math.round(value * 10) / 10);
      const [first, last] = [values[0], values.at(-1)];
      const shown = `${first} at first, ${Math.max(...values)} at most, ${last} at last`;
      return [name, `${shown}; × ${growthOf(values).toFixed(2)}`] as const;
    });
    const verdict = verdictOf(report, minutes);
    const done = { minutes, 'jobs made': report.made, verdict: verdict.told };
    return { figures: { ...done, ...Object.fromEntries(told) }, violations: verdict.violations };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
};
