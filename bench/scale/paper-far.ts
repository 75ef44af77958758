// Workers in regions far away, as the report shows them.
import { round as whole, tableOf } from '../harness/markdown.ts';
import type { FarResult } from './far-fleet.ts';
import { type HttpFleet, httpDemandOf } from './fleet.ts';
import type { HttpWire } from './http-wire.ts';
import type { Measured } from './measured.ts';
import { FLEET } from './scenarios.ts';
import { megabytes, short, terabytes } from './units.ts';

const MONTH_S = 30 * 86_400;
const NO_WIRE: HttpWire = { verb: 'none', sentBytes: 0, receivedBytes: 0 };

/** The fleet as it is, with fewer and larger workers, and with longer heartbeats. */
const FLEETS: readonly (readonly [string, Partial<HttpFleet>])[] = [
  ['1,000 workers of 8 slots', {}],
  ['250 workers of 32 slots', { workers: 250, slots: 32 }],
  ['1,000 workers, heartbeat 1 min', { heartbeatMs: 60_000 }],
  ['1,000 workers, jobs of 10 min', { jobMs: 600_000 }],
  ['1,000 workers, 16 `api` processes', { apiProcesses: 16 }],
];

export function fleetLines(measured: Measured): string[] {
  return [
    tableOf(
      [
        '',
        'jobs a second',
        'leases',
        'renewals a second',
        'claims a second that find nothing',
        'cores of the database for those',
        'cores of `api` processes',
        'for streams',
      ],
      FLEETS.map(([name, more]) => {
        const demand = httpDemandOf(measured, { ...FLEET, ...more });
        return [
          name,
          short(demand.jobsPerSecond),
          whole(demand.leases),
          whole(demand.renewalsPerSecond),
          whole(demand.emptyClaimsPerSecond),
          short(demand.emptyClaimCores),
          short(demand.apiCores),
          short(demand.streamCores),
        ];
      }),
    ),
  ];
}

export interface FarRun {
  readonly name: string;
  readonly result: FarResult;
}

export function farLines(runs: readonly FarRun[]): string[] {
  return [
    tableOf(
      [
        '',
        'jobs begun',
        'leases lost',
        'renewals',
        'wait p50, near and far, ms',
        'wait p99, near and far, ms',
        'claims that found nothing, a job',
      ],
      runs.map(({ name, result }) => {
        const [near, far] = [result.regions[0]!, result.regions.at(-1)!];
        return [
          name,
          whole(result.done),
          whole(result.leasesLost),
          whole(result.renewals),
          `${whole(near.waitP50Ms)}, ${whole(far.waitP50Ms)}`,
          `${whole(near.waitP99Ms)}, ${whole(far.waitP99Ms)}`,
          short(result.emptyClaims / result.done),
        ];
      }),
    ),
  ];
}

/** Of a job with its renewals, between its worker and the server. */
export function wireLines(wire: readonly HttpWire[]): string[] {
  const { slots, workers, busy, jobMs, heartbeatMs } = FLEET;
  const each = (verb: string): HttpWire => wire.find((one) => one.verb === verb) ?? NO_WIRE;
  const renewals = Math.floor(jobMs / heartbeatMs);
  const ofJob = (of: (one: HttpWire) => number): number =>
    of(each('claim')) + of(each('complete')) + renewals * of(each('renewal'));
  const perSecond = (workers * slots * busy * 1_000) / jobMs;
  const [up, down] = [ofJob(({ sentBytes }) => sentBytes), ofJob((one) => one.receivedBytes)];
  return [
    tableOf(
      ['a call over HTTP, one job', 'bytes sent', 'bytes received'],
      [
        ...wire.map((one) => [one.verb, whole(one.sentBytes), whole(one.receivedBytes)]),
        ['a job of a worker, with its renewals', whole(up), whole(down)],
        ['the fleet, a second', megabytes(up * perSecond), megabytes(down * perSecond)],
        [
          'the fleet, a month',
          terabytes(up * perSecond * MONTH_S),
          terabytes(down * perSecond * MONTH_S),
        ],
      ],
    ),
    '',
    'Headers included, 100 bytes of input, without TLS. Results and inputs come on top.',
  ];
}
