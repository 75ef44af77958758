import type { JobRef } from '../../core/job.ts';
import { GATE, keyAt } from '../gate.ts';
import {
  AHEAD_MAX,
  HOLDERS_MAX,
  keyForPeople,
  RECENT_MS,
  type Standing,
  WAITS,
} from '../standing.ts';
import { gateKeysIn, keysOf } from './admit.ts';
import { lanesNamed, ownedIn } from './counts.ts';
import { turnsSince } from './limits.ts';
import { findJob } from './read.ts';
import { C, FLAG, jobOf, type JobRow, type LiveRow } from './row.ts';
import { uuidOfBytes } from './uuid-bytes.ts';
import type { Work } from './work.ts';

/** By gate: who is before it. */
const AHEAD: Readonly<Record<number, string>> = {
  [GATE.open]: 'ahead_in_lane',
  [GATE.parked]: 'ahead_at_slot',
  [GATE.user]: 'ahead_at_user',
  [GATE.organisation]: 'ahead_at_organisation',
};

export function standingOf(work: Work, ref: JobRef): Standing | null {
  const { connection, names, now } = work;
  const row = findJob(work, ref);
  if (row === null) return null;
  const job = jobOf(names, row);
  const gate = row[C.gate] as number | null;
  const isKeyed = gate !== null && ((row[C.flags] as number) & FLAG.keys) > 0;
  const key = isKeyed ? keyAt(gate, gateKeysIn(keysOf(work, row[C.key] as number))) : null;
  const { tenant, type, queue } = names.laneOf(row[C.lane] as number);
  const next = key === null ? undefined : connection.sql('next_token').get(key);
  const turns = turnsSince(work, now - RECENT_MS).filter(
    (one) => one.tenant === tenant && one.type === type,
  );
  return {
    job,
    at: now,
    wait: gate === null ? null : WAITS[gate]!,
    key: key === null ? null : keyForPeople(key, job),
    ahead: aheadOf(work, row, key),
    holders: gate === GATE.parked ? holdersOf(work, key!) : [],
    nextTokenAt: (next?.['next_at'] ?? null) as number | null,
    endedLately: turns.reduce((sum, { succeeded, failed }) => sum + succeeded + failed, 0),
    owned: {
      queue: ownedIn(work, lanesNamed(work, tenant, { queue })),
      type: ownedIn(work, lanesNamed(work, tenant, { type })),
    },
  };
}

function aheadOf({ connection }: Work, row: JobRow, key: string | null): number {
  const gate = row[C.gate] as number | null;
  const name = gate === null ? undefined : AHEAD[gate];
  if (name === undefined) return 0;
  // A pinned job stands in the lane of its revision, not in the one that its type has.
  const { lane } = connection.sql('live').get(row[C.key]!) as LiveRow;
  const counted = connection.sql(name).get(key ?? lane, row[C.rank_at]!, row[C.key]!, AHEAD_MAX)!;
  return counted['count'] as number;
}

function holdersOf({ connection }: Work, key: string): Standing['holders'] {
  const rows = connection.sql('holders').all(key, HOLDERS_MAX);
  return rows.map((row) => ({
    id: uuidOfBytes(row['id'] as Uint8Array),
    owner: row['owner'] as string | null,
  }));
}
