// What a load asks of its databases: plain multiplication of what was measured.
import { eachOf, type Measured, type WrittenVerb } from './measured.ts';

export interface Load {
  /** Sustained. */
  readonly jobsPerSecond: number;
  /** The busiest hour against the mean: cores, commits and connections are sized for it. */
  readonly peakFactor: number;
  /** How long a handler takes. */
  readonly jobMs: number;
  readonly heartbeatMs: number;
  readonly keptDays: number;
  /** How long the history notes renewals. */
  readonly notesDays: number;
  /** Input and result beyond the hundred bytes that were measured. */
  readonly payloadBytes: number;
  /** How many share a call. */
  readonly batch: number;
  /** Processes with connections of their own. */
  readonly processes: number;
}

export interface Demand {
  /** Of the server, vacuum included, at the peak. */
  readonly cores: number;
  readonly walBytesPerSecond: number;
  readonly diskBytes: number;
  /** Calls that write, at the peak: as many flushes of the log at most, for they share them. */
  readonly commitsPerSecond: number;
  readonly connections: number;
  readonly xidsPerSecond: number;
  /** Until the server freezes by force (`autovacuum_freeze_max_age`). */
  readonly hoursToForcedVacuum: number;
  /** Until it takes no more writes, if nothing were frozen. */
  readonly hoursToStop: number;
  readonly deadRowsPerSecond: number;
  /** Of a core: one table is vacuumed by one process. */
  readonly vacuumShare: number;
  readonly jobsInFlight: number;
  readonly renewalsPerSecond: number;
  readonly logNumbersPerSecond: number;
  readonly partition: { readonly days: number; readonly jobs: number; readonly bytes: number };
}

/** As the server has it unless told otherwise. */
export const FORCED_FREEZE_XIDS = 200_000_000;
export const XIDS_MAX = 2_000_000_000;
/** As packages/pawl/src/store/postgres/purge.ts has it: partitions for what is kept, and ahead. */
export const PARTITIONS_KEPT = 6;
/** A process: 8 for calls, one that listens, one in reserve. */
export const CONNECTIONS_A_PROCESS = 10;

const HOUR_S = 3_600;
const DAY_S = 86_400;

type Figure = 'walBytes' | 'cpuMs' | 'xids' | 'logNumbers';

/** Of one job; the first is due after a heartbeat's time. */
function renewalsOf({ jobMs, heartbeatMs }: Load): number {
  return Math.floor(jobMs / heartbeatMs);
}

/** A life with its renewals, and what vacuum does for it afterwards. */
export function ofOneJob(measured: Measured, load: Load, figure: Figure): number {
  const of = (verb: WrittenVerb): number => eachOf(measured.verbs[verb][figure], load.batch);
  const renewals = renewalsOf(load);
  return of('enqueue') + of('claim') + of('complete') + renewals * of('renewal');
}

/** Payloads are written to the log of the server with the job and with its end. */
function walOfOneJob(measured: Measured, load: Load): number {
  const upkeep = measured.vacuum.walBytes + measured.freezing.walBytes;
  return ofOneJob(measured, load, 'walBytes') + upkeep + 2 * load.payloadBytes;
}

function noteBytesOfOneJob(measured: Measured, load: Load): number {
  return renewalsOf(load) * load.notesDays * measured.noteBytes;
}

function callsOfOneJob(load: Load): number {
  return (3 + renewalsOf(load)) / load.batch;
}

export function demandOf(measured: Measured, load: Load): Demand {
  const { jobsPerSecond, peakFactor, keptDays } = load;
  const peak = jobsPerSecond * peakFactor;
  const cpuMs = ofOneJob(measured, load, 'cpuMs') + measured.vacuum.cpuMs + measured.freezing.cpuMs;
  const xids = jobsPerSecond * ofOneJob(measured, load, 'xids');
  const keptBytes = measured.keptBytes + load.payloadBytes;
  const days = keptDays / PARTITIONS_KEPT;
  const partitionJobs = jobsPerSecond * DAY_S * days;
  const renewals = renewalsOf(load);
  return {
    cores: (peak * cpuMs) / 1_000,
    walBytesPerSecond: jobsPerSecond * walOfOneJob(measured, load),
    // A partition goes when its last job may: one more than what is kept is there.
    diskBytes:
      jobsPerSecond * DAY_S * ((keptDays + days) * keptBytes + noteBytesOfOneJob(measured, load)),
    commitsPerSecond: peak * callsOfOneJob(load),
    connections: load.processes * CONNECTIONS_A_PROCESS,
    xidsPerSecond: xids,
    hoursToForcedVacuum: FORCED_FREEZE_XIDS / xids / HOUR_S,
    hoursToStop: XIDS_MAX / xids / HOUR_S,
    deadRowsPerSecond: jobsPerSecond * (measured.deadRows + renewals),
    vacuumShare: (peak * measured.vacuum.cpuMs) / 1_000,
    jobsInFlight: (peak * load.jobMs) / 1_000,
    renewalsPerSecond: peak * renewals,
    logNumbersPerSecond: jobsPerSecond * ofOneJob(measured, load, 'logNumbers'),
    partition: { days, jobs: partitionJobs, bytes: partitionJobs * keptBytes },
  };
}
