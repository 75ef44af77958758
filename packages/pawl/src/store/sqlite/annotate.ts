import { rankOf } from '../../core/phase.ts';
import type { Move, MoveOutcome } from '../move.ts';
import { planWrite } from '../record-write.ts';
import { StoreError } from '../store-error.ts';
import { textOf } from './log.ts';
import { saveRecords, writeContext } from './records.ts';
import type { Row } from './row.ts';
import type { Work } from './work.ts';

/** A row of `ended`, at the version of its last annotation. */
export type EndedRow = Row &
  Record<'key' | 'lane' | 'lifecycle' | 'state' | 'phase' | 'epoch' | 'version', number> &
  Record<'attempts' | 'retry_count' | 'progress', number>;

export function endedOf({ connection }: Work, key: number): EndedRow | null {
  return (connection.sql('ended').get(key) as EndedRow | undefined) ?? null;
}

/** Whether an ended job stands where a move begins. */
function standsThere({ names }: Work, row: EndedRow, { place, epoch }: Move): boolean {
  const { states } = names.lifecycleOf(row.lifecycle);
  return (
    states[row.state - 1] === place.state &&
    row.phase === rankOf(place.phase) &&
    row.epoch === epoch
  );
}

/** A fact about a job that has ended: kept beside its row, which never changes. */
export function annotateEnded(work: Work, move: Move, key: number): MoveOutcome | null {
  const row = endedOf(work, key);
  const { fence, annotation, isCancelWished } = move;
  if (row === null || fence.kind !== 'version' || fence.version !== row.version) return null;
  if (isCancelWished === true || !standsThere(work, row, move)) return null;
  work.names.checkStays(move.tenant);
  const plan = planWrite(move.with ?? [], writeContext(work));
  if (plan.kind === 'refused') return null;
  saveRecords(work, plan.changes);
  const version = addAnnotation(work, row, {
    type: annotation!.event,
    actor: move.actor,
    cause: annotation!.cause,
    payload: textOf(annotation!.payload),
  });
  return { kind: 'moved', version, at: work.now };
}

type Said = {
  readonly type: 'job_erased' | NonNullable<Move['annotation']>['event'];
  readonly actor: string;
  readonly cause: string | null;
  readonly payload: string | null;
};

/** Answers with the version after it. */
export function addAnnotation(work: Work, row: EndedRow, said: Said): number {
  const { connection, log, now } = work;
  const { key, lane, lifecycle, state, phase } = row;
  const { type, actor, cause, payload } = said;
  const version = row.version + 1;
  const beside = connection.sql('details').get(key);
  const texts = {
    key,
    stage: (beside?.['stage'] ?? null) as string | null,
    message: (beside?.['message'] ?? null) as string | null,
    cause,
    payload,
  };
  const entry = { at: now, lane, lifecycle, type, from: state, to: state, phase, actor };
  const n = log.write(entry, [{ ...row, version }], [texts]);
  connection.sql('add_annotation').run(key, version, n, now);
  return version;
}

/** A move of a job that stands where the move begins, and has ended there. */
export function refuseEnded(work: Work, move: Move, key: number): void {
  const row = endedOf(work, key);
  if (row === null || !standsThere(work, row, move)) return;
  throw new StoreError('refused', `job ${move.id}: nothing leaves a terminal phase`);
}
