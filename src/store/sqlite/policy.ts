import { createHash } from 'node:crypto';
import type { Policy } from '../../core/policy.ts';
import { canonical } from './registry.ts';
import type { Work } from './work.ts';

/** The number of a policy; one that is equal to an earlier one has its number. */
export function putPolicy({ connection }: Work, policy: Policy): number {
  const text = canonical(policy);
  const hash = createHash('sha256').update(text).digest('hex');
  const known = connection.sql('SELECT number FROM policies WHERE hash = ?').get(hash);
  if (known !== undefined) return Number(known['number']);
  const { lastInsertRowid } = connection
    .sql('INSERT INTO policies (hash, policy) VALUES (?, ?)')
    .run(hash, text);
  return Number(lastInsertRowid);
}
