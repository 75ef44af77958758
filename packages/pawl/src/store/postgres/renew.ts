import { workerActor } from '../../core/actor.ts';
import type { RenewOutcome, Renewal } from '../renew.ts';
import { shownToken } from './lease-token.ts';
import { cancelOf, kindCode } from './row.ts';
import { lockWaitMs, type Session } from './session.ts';

interface RenewedRow {
  readonly part: number;
  readonly ord: number;
  readonly lease_expiry: number;
  readonly progress: number;
  readonly cancel_mode: number | null;
  readonly cancel_reason: string | null;
  readonly at: number;
}

interface Numbered {
  readonly renewal: Renewal;
  readonly ord: number;
  readonly tenant: number;
  readonly owner: number;
}

/** True of a heartbeat that tells at most how far the job is. */
function isPlain({ checkpoint, stageResult, notes = [] }: Renewal): boolean {
  return checkpoint === undefined && stageResult === undefined && notes.length === 0;
}

/** Which texts it changes: its stage (1), its message (2). */
function saysOf({ stage, message }: Renewal): number {
  return (stage === undefined ? 0 : 1) + (message === undefined ? 0 : 2);
}

/** Plain heartbeats of an owner go as sets, all others one by one, in one transaction. */
export async function renewLeases(
  session: Session,
  renewals: readonly Renewal[],
  isPatient: boolean,
): Promise<RenewOutcome[]> {
  const outcomes = renewals.map((): RenewOutcome => ({ kind: 'lost' }));
  const known = await numbered(session, renewals);
  if (known.length === 0) return outcomes;
  const isRepeated = new Set(known.map(({ renewal: r, tenant }) => `${r.id} ${tenant}`)).size;
  const areApart = isRepeated === known.length;
  const sets = setsOf(known.filter(({ renewal }) => areApart && isPlain(renewal)));
  const rest = known.filter(({ renewal }) => !areApart || !isPlain(renewal));
  // Everyone locks jobs in the same order.
  if (areApart) rest.sort(compared);
  const rows = await session.database.verb<RenewedRow>('renew', [
    sets.map((items) => `{${items.map(({ renewal }) => renewal.id).join(',')}}`),
    sets.map((items) => `{${items.map(({ tenant }) => tenant).join(',')}}`),
    sets.map((items) => `{${items.map(({ renewal }) => renewal.epoch).join(',')}}`),
    sets.length === 0 ? null : JSON.stringify(sets.map(headOf)),
    rest.length === 0 ? null : JSON.stringify(rest.map(wireOf)),
    lockWaitMs(isPatient),
    session.now(),
  ]);
  for (const { part, ord, ...row } of rows) {
    const own = part === 0 ? ord : sets[part - 1]![ord - 1]!.ord;
    outcomes[own] = {
      kind: 'renewed',
      at: row.at,
      leaseExpiry: row.lease_expiry,
      progress: row.progress,
      cancel: cancelOf(row.cancel_mode, row.cancel_reason),
    };
  }
  return outcomes;
}

function compared(one: Numbered, other: Numbered): number {
  if (one.renewal.id === other.renewal.id) return one.tenant - other.tenant;
  return one.renewal.id < other.renewal.id ? -1 : 1;
}

async function numbered(session: Session, renewals: readonly Renewal[]): Promise<Numbered[]> {
  const { names } = session;
  const tenants = await names.findTenants(renewals.map(({ tenant }) => tenant));
  const owners = await names.owners(renewals.map(({ owner }) => owner));
  return renewals.flatMap((renewal, ord) => {
    const tenant = tenants[ord] ?? null;
    return tenant === null ? [] : [{ renewal, ord, tenant, owner: owners[ord]! }];
  });
}

function setsOf(all: readonly Numbered[]): Numbered[][] {
  const sets = Map.groupBy(
    all,
    ({ owner, renewal }) => `${owner} ${renewal.token ?? ''} ${saysOf(renewal)}`,
  );
  return [...sets.values()];
}

function headOf(items: readonly Numbered[], index: number): Record<string, unknown> {
  const { owner, renewal } = items[0]!;
  const actor = workerActor(renewal.owner);
  const says = saysOf(renewal);
  const renewals = items.map((item) => item.renewal);
  return {
    part: index + 1,
    owner,
    token: shownToken(renewal.token),
    actor,
    says,
    progress: renewals.some(({ progress = 0 }) => progress > 0)
      ? renewals.map(({ progress = 0 }) => progress)
      : undefined,
    stages: says & 1 ? renewals.map(({ stage = null }) => stage) : undefined,
    messages: says & 2 ? renewals.map(({ message = null }) => message) : undefined,
  };
}

function wireOf({ renewal, ord, tenant, owner }: Numbered): Record<string, unknown> {
  const { notes = [] } = renewal;
  return {
    ord,
    tenant,
    id: renewal.id,
    epoch: renewal.epoch,
    owner,
    token: shownToken(renewal.token),
    actor: workerActor(renewal.owner),
    progress: renewal.progress,
    has_stage: renewal.stage !== undefined,
    stage: renewal.stage ?? undefined,
    has_message: renewal.message !== undefined,
    message: renewal.message ?? undefined,
    checkpoint: renewal.checkpoint,
    result_name: renewal.stageResult?.name,
    result: renewal.stageResult?.result,
    notes:
      notes.length === 0
        ? undefined
        : notes.map(({ type, message, payload }) => ({
            kind: kindCode(type),
            message: message ?? undefined,
            payload: payload === null ? undefined : JSON.stringify(payload),
          })),
  };
}
