// Loads that no machine of the project carries, and what their databases are assumed to have.
import type { Load } from './demand.ts';
import type { FarFleet } from './far-fleet.ts';
import type { HttpFleet } from './fleet.ts';
import type { Copies, Database, Prices } from './limits.ts';

/** With the defaults of leases and retention. */
const DEFAULTS = { heartbeatMs: 15_000, notesDays: 1, keptDays: 30, payloadBytes: 500 };

export const SUSTAINED: Omit<Load, 'batch'> = {
  ...DEFAULTS,
  jobsPerSecond: 10_000,
  peakFactor: 1.5,
  jobMs: 1_000,
  processes: 40,
};

/** A thousand million in 30 days. */
export const BILLION: Omit<Load, 'batch'> = {
  ...DEFAULTS,
  jobsPerSecond: 1e9 / (30 * 86_400),
  peakFactor: 5,
  jobMs: 60_000,
  processes: 40,
};

/** To be replaced by what the reader has. */
export const DATABASE: Database = {
  cores: 32,
  coresShare: 0.7,
  walBytesPerSecond: 200e6,
  diskBytes: 16e12,
  connections: 500,
  hoursBetweenFreezes: 24,
};

export const COPIES: Copies = { standbys: 1, walDaysKept: 7 };

/** An example: the reader's own prices go here, in any currency. */
export const PRICES: Prices = {
  coreHour: 0.04,
  diskTerabyteMonth: 100,
  archiveTerabyteMonth: 20,
  transferTerabyte: 10,
};

export const TENANTS = 10_000;

export const REGIONS_MS = [80, 95, 110, 130, 150, 170, 190, 210, 230, 250] as const;

export const FLEET: HttpFleet = {
  workers: 1_000,
  slots: 8,
  jobMs: 60_000,
  heartbeatMs: 15_000,
  busy: 0.75,
  apiProcesses: 4,
  streams: 100,
  streamEventsPerSecond: 20,
};

/** A part of the fleet, for as long as a few of its jobs take. */
export const FAR: FarFleet = {
  roundTripsMs: REGIONS_MS,
  workersEach: 3,
  slots: 8,
  jobMs: 60_000,
  heartbeatMs: 15_000,
  busy: 0.75,
  seconds: 300,
  line: { jitter: 0.3, loss: 0.01, silence: 0 },
};
