import type { DatabaseSync } from 'node:sqlite';
import type { Lifecycle } from '../../core/lifecycle.ts';
import { listedMoves } from '../../core/lifecycle-soundness.ts';
import { rankOf, TERMINAL_RANK_MIN } from '../../core/phase.ts';
import { ERASED } from '../retention.ts';
import { isNoErasure } from './retention-schema.ts';

/** Why a move is refused, in the words of the rule that it breaks. */
const REASON = `CASE
    WHEN NEW.lifecycle <> OLD.lifecycle THEN 'a job keeps its lifecycle'
    WHEN NEW.state = OLD.state AND NEW.phase = OLD.phase AND NEW.epoch = OLD.epoch
      THEN 'the version rises by exactly one'
    WHEN OLD.phase >= ${TERMINAL_RANK_MIN} THEN 'nothing leaves a terminal phase'
    WHEN NEW.epoch NOT IN (OLD.epoch, OLD.epoch + 1) THEN 'the epoch stays or rises by one'
    WHEN NEW.epoch = OLD.epoch AND NEW.phase <= OLD.phase
      THEN 'the pair of epoch and phase must increase'
    WHEN NOT EXISTS (SELECT 1 FROM moves m WHERE m.lifecycle = OLD.lifecycle
        AND m.from_state = OLD.state AND m.from_phase = OLD.phase
        AND m.to_state = NEW.state AND m.to_phase = NEW.phase)
      THEN 'the lifecycle lists no such move'
    ELSE 'the listed move has another epoch or version' END`;

function pairOf(row: 'OLD' | 'NEW'): string {
  const numbers = `' (epoch ' || ${row}.epoch || ', version ' || ${row}.version || ')'`;
  return `${row}.state || '/' || ${row}.phase || ${numbers}`;
}

/**
 * A listed move must bring exactly its epoch and version; a row that stays in its place may rise
 * by one version (an annotation). The condition runs once per transition, on the table's own key:
 * cheaper than a generated expression and far cheaper than a constant list, which SQLite sorts
 * anew each time the trigger fires. Renewals name none of these columns and do not pay.
 */
const MOVES_GUARD = `
CREATE TRIGGER jobs_guard_moves
AFTER UPDATE OF state, phase, epoch, version, lifecycle ON jobs
WHEN NEW.lifecycle <> OLD.lifecycle OR NOT (
  EXISTS (SELECT 1 FROM moves m WHERE m.lifecycle = OLD.lifecycle
    AND m.from_state = OLD.state AND m.from_phase = OLD.phase
    AND m.to_state = NEW.state AND m.to_phase = NEW.phase
    AND m.quiet = OLD.version + 1 - NEW.version
    AND m.opens_epoch = NEW.epoch - OLD.epoch)
  OR (NEW.version = OLD.version + 1 AND NEW.epoch = OLD.epoch AND NEW.phase = OLD.phase
    AND NEW.state = OLD.state))
BEGIN
  SELECT RAISE(ABORT, 'pawl refuses ' || ${pairOf('OLD')} || ' to ' || ${pairOf('NEW')}
    || ': ' || ${REASON});
END;`;

function refuse(trigger: { name: string; on: string; when?: string; message: string }): string {
  const { name, on, when, message } = trigger;
  return `
CREATE TRIGGER ${name} BEFORE ${on} ${when === undefined ? '' : `WHEN ${when}`}
BEGIN
  SELECT RAISE(ABORT, 'pawl refuses this: ${message}');
END;`;
}

/**
 * `OR REPLACE` deletes the row in its way without a word to any delete trigger, so an insert over
 * a stored job is refused before it happens. (The same for events would cost an eighth of the
 * throughput and protect no job from moving.)
 */
const OTHER_GUARDS = [
  refuse({
    name: 'jobs_guard_identity',
    on: 'UPDATE OF seq, rowid, oid, _rowid_, id, tenant_id, type, created_at ON jobs',
    when: `NEW.seq IS NOT OLD.seq OR NEW.id IS NOT OLD.id OR NEW.tenant_id IS NOT OLD.tenant_id
  OR NEW.type IS NOT OLD.type OR NEW.created_at IS NOT OLD.created_at`,
    message: 'seq, id, tenant_id, type and created_at of a job never change',
  }),
  refuse({
    name: 'jobs_guard_replace',
    on: 'INSERT ON jobs',
    when: `EXISTS (SELECT 1 FROM jobs WHERE tenant_id = NEW.tenant_id AND id = NEW.id)
  OR EXISTS (SELECT 1 FROM jobs WHERE seq = NEW.seq)`,
    message: 'the job exists already',
  }),
  refuse({
    name: 'jobs_guard_delete',
    on: 'DELETE ON jobs',
    when: `OLD.phase < ${TERMINAL_RANK_MIN}`,
    message: 'only a job that has ended can be deleted',
  }),
  refuse({
    name: 'events_guard_update',
    on: 'UPDATE ON events',
    when: isNoErasure('events'),
    message: 'events are facts',
  }),
  refuse({
    name: 'notes_guard_update',
    on: 'UPDATE ON notes',
    when: isNoErasure('notes'),
    message: 'notes are facts',
  }),
  refuse({
    name: 'events_guard_delete',
    on: 'DELETE ON events',
    when: 'EXISTS (SELECT 1 FROM jobs WHERE seq = OLD.job_seq)',
    message: 'events are kept as long as their job',
  }),
  refuse({ name: 'moves_guard_update', on: 'UPDATE ON moves', message: 'listed moves only grow' }),
  refuse({ name: 'moves_guard_delete', on: 'DELETE ON moves', message: 'listed moves only grow' }),
];

const ENDED = `OLD.phase >= ${TERMINAL_RANK_MIN}`;

/** What a job was, did and was told to be, but for its texts: no verb writes it after the end. */
const FACTS = `policy, queue, gate, limit_key, user_key, organisation_key, active_key, priority,
  run_at, deadline_at, attempts, max_attempts, retry_count, backoff_ms, progress, lease_owner,
  lease_expiry, lease_until, lease_limit, claim_request, cancel_mode, cancel_reason, started_at,
  completed_at, stage, correlation_id, trace_id, requested_by, parent_job_id, document_id,
  job_limit_key, parent_kind`;

/** An end is final: afterwards events can tell more of it, and texts can be erased. */
const END_GUARDS = [
  refuse({
    name: 'jobs_guard_end',
    on: `UPDATE OF ${FACTS} ON jobs`,
    when: ENDED,
    message: 'a job that has ended stays as it is',
  }),
  refuse({
    name: 'jobs_guard_end_texts',
    on: 'UPDATE OF input, result, checkpoint, message, metadata, error ON jobs',
    when: `${ENDED} AND (NEW.input = 'null' AND NEW.result IS NULL AND NEW.checkpoint IS NULL
  AND NEW.message IS NULL AND NEW.metadata IS NULL
  AND (NEW.error IS NULL OR NEW.error ->> '$.message' = '${ERASED}')) IS NOT TRUE`,
    message: 'what a job that has ended was given, said and made can only be erased',
  }),
  refuse({
    name: 'jobs_guard_end_version',
    on: 'UPDATE OF version, notes, updated_at ON jobs',
    // A job that would also move is refused in the words of its move.
    when: `${ENDED} AND NEW.state = OLD.state AND NEW.phase = OLD.phase
  AND NEW.epoch = OLD.epoch AND NOT (NEW.version = OLD.version + 1
  AND EXISTS (SELECT 1 FROM events WHERE job_seq = OLD.seq AND version = NEW.version))`,
    message: 'the version of a job that has ended rises by one, with an event',
  }),
];

const CASCADE = `
CREATE TRIGGER jobs_delete_rest AFTER DELETE ON jobs
BEGIN
  DELETE FROM events WHERE job_seq = OLD.seq;
  DELETE FROM notes WHERE job_seq = OLD.seq;
  DELETE FROM stages WHERE job_seq = OLD.seq;
END;`;

/** Triggers that refuse, also to plain SQL by hand, whatever no lifecycle lists. */
export const guardSql: string = [MOVES_GUARD, ...OTHER_GUARDS, ...END_GUARDS, CASCADE].join('\n');

/** Lets a lifecycle's own moves through the guard; what was listed before stays listed. */
export function listMoves(db: DatabaseSync, lifecycleId: number, lifecycle: Lifecycle): void {
  const insert = db.prepare('INSERT INTO moves VALUES (?, ?, ?, ?, ?, ?, ?)');
  for (const { from, to, quiet, opensEpoch } of listedMoves(lifecycle)) {
    insert.run(
      lifecycleId,
      from.state,
      rankOf(from.phase),
      to.state,
      rankOf(to.phase),
      Number(quiet),
      Number(opensEpoch),
    );
  }
}
