// A fleet of workers over HTTP: what their waiting claims, renewals and streams cost.
import type { Measured } from './measured.ts';

export interface HttpFleet {
  readonly workers: number;
  readonly slots: number;
  readonly jobMs: number;
  readonly heartbeatMs: number;
  /** Of all slots. */
  readonly busy: number;
  readonly apiProcesses: number;
  /** Of dashboards and followers of the log, and how many events a second each is sent. */
  readonly streams: number;
  readonly streamEventsPerSecond: number;
}

export interface HttpDemand {
  readonly jobsPerSecond: number;
  readonly leases: number;
  readonly renewalsPerSecond: number;
  /** Claims that find nothing: each waiting one looks again with every wake-up. */
  readonly emptyClaimsPerSecond: number;
  /** Of the databases, for claims that find nothing. */
  readonly emptyClaimCores: number;
  /** Of the `api` processes: claims, reports, renewals; then streams. */
  readonly apiCores: number;
  readonly streamCores: number;
  readonly apiConnections: number;
}

/** As packages/server/src/http/workers.ts has it. */
const OWN_LOOKS_PER_SECOND = 4;
/** As packages/pawl/src/engine/live/live-hub.ts has it: the log is read every 50 ms. */
const LOG_LOOKS_PER_SECOND = 20;
const CONNECTIONS_A_PROCESS = 10;

/** The share of workers that have a slot free, and so a claim that waits; slots busy by chance. */
function waitingShare(busy: number, slots: number): number {
  return 1 - busy ** slots;
}

/**
 * Each waiting claim is woken by every job that its own process accepts, at once, and by every look
 * at the log that finds jobs.
 */
function wakesPerSecond(jobsPerSecond: number, apiProcesses: number): number {
  const share = 1 - Math.exp(-jobsPerSecond / LOG_LOOKS_PER_SECOND);
  return jobsPerSecond / apiProcesses + LOG_LOOKS_PER_SECOND * share;
}

/** Wakes, and looks of its own where no wake came for a quarter of a second. */
function looksPerSecond(wakes: number): number {
  return wakes === 0 ? OWN_LOOKS_PER_SECOND : wakes / (1 - Math.exp(-wakes / OWN_LOOKS_PER_SECOND));
}

export function httpDemandOf(measured: Measured, fleet: HttpFleet): HttpDemand {
  const { workers, slots, jobMs, heartbeatMs, busy, apiProcesses } = fleet;
  const leases = workers * slots * busy;
  const jobsPerSecond = (leases * 1_000) / jobMs;
  const renewalsPerSecond = (leases * 1_000) / heartbeatMs;
  const looks = looksPerSecond(wakesPerSecond(jobsPerSecond, apiProcesses));
  const emptyClaimsPerSecond = workers * waitingShare(busy, slots) * looks;
  const { apiCpuMs, streamCpuMs, emptyClaimCpuMs } = measured;
  const apiMs =
    jobsPerSecond * (apiCpuMs.claim + apiCpuMs.report) + renewalsPerSecond * apiCpuMs.report;
  return {
    jobsPerSecond,
    leases,
    renewalsPerSecond,
    emptyClaimsPerSecond,
    emptyClaimCores: (emptyClaimsPerSecond * emptyClaimCpuMs) / 1_000,
    apiCores: apiMs / 1_000,
    streamCores: (fleet.streams * fleet.streamEventsPerSecond * streamCpuMs) / 1_000,
    apiConnections: apiProcesses * CONNECTIONS_A_PROCESS,
  };
}
