import type { Job } from '../../core/job.ts';
import { type KeysRow, TouchedKeys } from './admit.ts';
import { by, rowsOf } from './read.ts';
import { C, FLAG, jobOf } from './row.ts';
import type { Work } from './work.ts';

/** Opens what is claimed where it stands, and names what the engine has to requeue. */
export function letDueIn(work: Work, limit: number): { opened: number; waiting: Job[] } {
  const { connection, names, now } = work;
  const due = connection.lists('due').all(now, limit) as unknown as [number, number][];
  const touched = new TouchedKeys();
  const plain = due.filter(([, flags]) => !(flags & FLAG.keys)).map(([key]) => key);
  if (plain.length > 0) connection.sql('open').run(JSON.stringify(plain));
  for (const [key, flags] of due) {
    if (!(flags & FLAG.keys)) continue;
    const keys = connection.sql('open_keys').get(key) as KeysRow;
    connection.sql('set_gate').run(key, keys['gate']!);
    touched.add(keys, keys['gate'] as number);
  }
  // Together: at the next gate the first in line comes first, by whichever of them it got there.
  for (const row of connection.sql('due_tokens').all(now, limit))
    touched.touch(row['key'] as string);
  touched.admit(work);
  const rows = rowsOf(work, 'to_requeue', now, limit).toSorted(by(C.run_at));
  return { opened: due.length, waiting: rows.map((row) => jobOf(names, row)) };
}

/** The time until the next delayed job. */
export function untilDue({ connection, now }: Work): number | null {
  const next = connection.sql('next_due').get()!['at'] as number | null;
  return next === null ? null : next - now;
}
