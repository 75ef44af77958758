import { workerActor } from '../../core/actor.ts';
import type { CancelMode } from '../../core/job.ts';
import type { Renewal, RenewOutcome } from '../renew.ts';
import { keyOfRef } from './apply.ts';
import { cancelOf } from './row.ts';
import { lockWaitMs, type Session } from './session.ts';

interface OutcomeRow {
  readonly ord: number;
  readonly at: number;
  readonly lease_expiry: number;
  readonly progress: number;
  readonly cancel_mode: CancelMode | null;
  readonly cancel_reason: string | null;
}

/** Owners' signs of life as one set; a job that comes twice has its second turn afterwards. */
export async function renewLeases(
  session: Session,
  renewals: readonly Renewal[],
  isPatient: boolean,
): Promise<RenewOutcome[]> {
  const tenants = await session.names.findTenants(renewals.map(({ tenant }) => tenant));
  const outcomes = renewals.map((): RenewOutcome => ({ kind: 'lost' }));
  const turns = new Map<string, number>();
  const wires = renewals.flatMap((renewal, ord) => {
    const key = keyOfRef(renewal);
    const turn = (turns.get(key) ?? 0) + 1;
    turns.set(key, turn);
    const tenant = tenants[ord] ?? null;
    return tenant === null ? [] : [{ key, wire: { ord, turn, tenant, ...wireOf(renewal) } }];
  });
  if (wires.length === 0) return outcomes;
  const sorted = wires.toSorted((one, other) => (one.key < other.key ? -1 : 1));
  const text = JSON.stringify(sorted.map(({ wire }) => wire));
  const rows = await session.withDays(() =>
    session.database.write<OutcomeRow>('SELECT * FROM pawl.renew_v1($1, $2, $3, $4)', [
      text,
      Math.max(...turns.values()),
      lockWaitMs(isPatient),
      session.now(),
    ]),
  );
  for (const row of rows) {
    outcomes[row.ord] = {
      kind: 'renewed',
      at: row.at,
      leaseExpiry: row.lease_expiry,
      progress: row.progress,
      cancel: cancelOf(row.cancel_mode, row.cancel_reason),
    };
  }
  return outcomes;
}

function wireOf(renewal: Renewal): Record<string, unknown> {
  return {
    id: renewal.id,
    epoch: renewal.epoch,
    owner: renewal.owner,
    actor: workerActor(renewal.owner),
    progress: renewal.progress,
    has_stage: renewal.stage !== undefined,
    stage: renewal.stage ?? undefined,
    has_message: renewal.message !== undefined,
    message: renewal.message ?? undefined,
    checkpoint: renewal.checkpoint,
    result_name: renewal.stageResult?.name,
    result: renewal.stageResult?.result,
    notes: renewal.notes?.map(({ type, message, payload }) => ({
      type,
      message: message ?? undefined,
      payload: payload === null ? undefined : JSON.stringify(payload),
    })),
  };
}
