import { TERMINAL_RANK_MIN } from '../../core/phase.ts';
import { ERASED } from '../retention.ts';

/** Jobs, notes, the feed and the rest go in the order in which they came, and need no index. */
export const retentionSchemaSql = `
CREATE INDEX idempotency_expiry ON idempotency (expires_at);
CREATE INDEX unique_keys_until ON unique_keys (until);
`;

const FACTS = `type, ts, actor, cause, from_state, to_state, phase, epoch, attempt, retry_count,
  progress, stage, job_seq, version`
  .split(',')
  .map((name) => name.trim());

const PAYLOADS = {
  events: `(NEW.payload IS OLD.payload OR NEW.payload ->> '$.error.message' = '${ERASED}')`,
  notes: 'NEW.payload IS NULL AND NEW.n IS OLD.n',
};

/** True of every update but an erasure: texts go, what happened stays, and the job has ended. */
export function isNoErasure(table: 'events' | 'notes'): string {
  const isSame = FACTS.map((name) => `NEW.${name} IS OLD.${name}`).join(' AND ');
  const isEnded = `EXISTS (SELECT 1 FROM jobs WHERE seq = OLD.job_seq
    AND phase >= ${TERMINAL_RANK_MIN})`;
  return `(NEW.message IS NULL AND ${PAYLOADS[table]} AND ${isSame} AND ${isEnded}) IS NOT TRUE`;
}
