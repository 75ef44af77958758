import { findPrograms } from '../../../scripts/cluster/programs.ts';
import { grouped, type Rung, type RungReport } from '../figures.ts';
import { campaign, type CampaignReport } from './campaign.ts';
import { ASYNCHRONOUS_FAULTS, type Fault, STRICT_FAULTS } from './faults.ts';
import { continueInOwnNetwork, isInOwnNetwork, openHosts, whyNoNetwork } from './network.ts';
import { tableOf } from './table.ts';
import { ROUTES } from './world.ts';

/**
 * `--rounds 4 --mode strict --rate 4 --seed 1 --minutes 60`, and `--only switchover,postmaster` for
 * the faults with one of these words in their names; `--routes haproxy,pgbouncer,hosts` are the
 * ways to the primary.
 */
export const runFailover: Rung = async (options, say) => {
  const programs = await findPrograms();
  if ('missing' in programs) {
    const skipped = `everything: missing are ${programs.missing}`;
    return { figures: { skipped }, violations: ['nothing was done'] };
  }
  const why = whyNoNetwork();
  if (why === null && !isInOwnNetwork()) await continueInOwnNetwork();
  const hosts = why === null ? await openHosts(3) : null;
  const words = (options.text('only') ?? '').split(',');
  const asked = (options.text('routes') ?? ROUTES.join()).split(',');
  const routes = ROUTES.filter((route) => asked.includes(route));
  const isWanted = ({ name, needsNetwork = false }: Fault): boolean =>
    words.some((word) => name.includes(word)) && (!needsNetwork || hosts !== null);
  const reports: CampaignReport[] = [];
  const modes = (options.text('mode') ?? 'strict,asynchronous').split(',');
  const shared = {
    programs,
    hosts,
    routes,
    say,
    seed: options.number('seed', 1),
    rate: options.number('rate', 4),
    isTimeLeft: options.isTimeLeft(),
  };
  try {
    if (modes.includes('strict')) {
      const faults = STRICT_FAULTS.filter(isWanted);
      const rounds = options.number('rounds', 4);
      reports.push(await campaign({ ...shared, mode: 'strict', faults, rounds }));
    }
    if (modes.includes('asynchronous')) {
      const faults = ASYNCHRONOUS_FAULTS.filter(isWanted);
      reports.push(await campaign({ ...shared, mode: 'asynchronous', faults, rounds: 1 }));
    }
  } finally {
    for (const host of hosts ?? []) host.close();
  }
  for (const line of tableOf(
    reports.flatMap(({ rows }) => rows),
    routes,
  ))
    say(line);
  return report(reports, why);
};

function report(reports: readonly CampaignReport[], why: string | null): RungReport {
  const figures = reports.map(({ rows, verdict, streams, staleReads, told }) => {
    const failovers = rows.filter(({ hasFailedOver }) => hasFailedOver).length;
    const sum = (name: 'gaps' | 'doubles' | 'resets'): number =>
      streams.reduce((total, stream) => total + stream[name], 0);
    const text =
      `${rows.length} faults, ${failovers} failovers; ${grouped(verdict.acknowledged)} ` +
      `acknowledged, ${verdict.lost} lost, ${verdict.duplicated} run twice, ` +
      `${streams.length} streams of ${grouped(streams[0]?.events ?? 0)} events: ${sum('gaps')} ` +
      `gaps, ${sum('doubles')} doubles, ${sum('resets')} resets, ${staleReads.length} stale reads`;
    const mode = rows[0]?.mode ?? 'nothing';
    return [[mode, text] as const, ...told.map((line, index) => [`  told ${index + 1}`, line])];
  });
  return {
    figures: { ...Object.fromEntries(figures.flat()), ...(why === null ? {} : { skipped: why }) },
    violations: reports.flatMap(({ violations }) => violations),
    counts: {
      faults: sumOf(reports, ({ rows }) => rows.length),
      failovers: sumOf(reports, ({ rows }) => rows.filter((row) => row.hasFailedOver).length),
      jobs: sumOf(reports, ({ verdict }) => verdict.acknowledged),
      staleReads: sumOf(reports, ({ staleReads }) => staleReads.length),
      lost: sumOf(reports, ({ verdict }) => verdict.lost),
      streamed: sumOf(reports, ({ streams }) => streams.reduce((all, one) => all + one.events, 0)),
    },
  };
}

function sumOf(
  reports: readonly CampaignReport[],
  pick: (report: CampaignReport) => number,
): number {
  return reports.reduce((sum, report) => sum + pick(report), 0);
}
