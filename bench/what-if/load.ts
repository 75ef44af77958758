import { SeededRandom } from 'pawl/internal/core/random';

export const TYPES = ['report', 'mail'] as const;

export type LoadType = (typeof TYPES)[number];

/** A job of the load: when it comes after the start, and how long its handler waits. */
export interface LoadJob {
  readonly atMs: number;
  readonly type: LoadType;
  readonly ms: number;
}

export interface LoadOptions {
  readonly seconds: number;
  readonly jobsPerSecond: number;
  /** How long handlers take: 1 is 1.2 s for a report and 0.4 s for a mail, on average. */
  readonly scale: number;
}

const SEED = 89;
const PEAK_SHARE = 5;

/** Jobs at random, in the first and the third fifth of the time three times as many as else. */
export function loadOf({ seconds, jobsPerSecond, scale }: LoadOptions): LoadJob[] {
  const random = new SeededRandom(SEED);
  const jobs: LoadJob[] = [];
  for (let atMs = 0; ;) {
    const part = Math.floor((atMs * PEAK_SHARE) / (seconds * 1_000));
    const factor = part === 0 || part === 2 ? 5 / 3 : 5 / 9;
    atMs += (-Math.log(1 - random.next()) * 1_000) / (jobsPerSecond * factor);
    if (atMs >= seconds * 1_000) return jobs;
    const type = random.next() < 0.4 ? 'report' : 'mail';
    const mean = type === 'report' ? 1_200 : 400;
    jobs.push({
      atMs: Math.round(atMs),
      type,
      ms: Math.round(mean * scale * (0.5 + random.next())),
    });
  }
}
