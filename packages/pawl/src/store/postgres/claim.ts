import { createHash } from 'node:crypto';
import { workerActor } from '../../core/actor.ts';
import type { Instant } from '../../core/clock.ts';
import type { Job, JsonText } from '../../core/job.ts';
import { phaseOfRank } from '../../core/phase.ts';
import { claimTypesOf, type Revision, revisionAfter, revisionFor } from '../../core/revision.ts';
import { afterWrite } from '../after-write.ts';
import { type ClaimedJob, claimName, type ClaimRequest } from '../claim.ts';
import type { StageResult } from '../stage-result.ts';
import type { Dictionary } from './dictionary.ts';
import { labelsOf } from './labels.ts';
import type { LineEnd } from './line-positions.ts';
import { randomToken } from './lease-token.ts';
import { cancelOf, errorOf } from './row.ts';
import type { Session } from './session.ts';

/** What the jobs of one policy and place have in common; a list of one holds for all. */
interface Group {
  readonly policy: number;
  readonly lifecycle: number;
  readonly state: number;
  readonly phase: number;
  readonly leaseMs: number;
  readonly ids: readonly string[];
  readonly lanes: readonly number[];
  readonly epochs: readonly number[];
  readonly versions: readonly number[];
  readonly attempts: readonly number[];
  readonly retries: readonly number[];
}

/** What of a job does not go without saying. */
interface Oddity {
  readonly id: string;
  readonly tenant: number;
  readonly runAt: number;
  readonly deadlineAt: number | null;
  readonly priority: number;
  readonly progress: number;
  readonly startedAt: number | null;
  readonly updatedAt: number;
  readonly leaseExpiry: number;
  readonly backoffMs: number | null;
  readonly cancelMode: number | null;
  readonly revision: string | null;
  readonly isPinned: boolean;
  readonly stage: string | null;
  readonly message: string | null;
  readonly cancelReason: string | null;
  readonly checkpoint: JsonText | null;
  readonly error: JsonText | null;
  readonly input: JsonText | null;
  readonly stages: readonly [name: string, result: JsonText, at: number][] | null;
}

interface Head {
  readonly at: Instant;
  readonly token: string;
  readonly groups: readonly Group[];
  readonly odd: readonly Oddity[] | null;
  /** Where the claim ended, if it has walked far. */
  readonly line: readonly LineEnd[] | null;
}

/** Where a row of the verb has its head. */
export const HEAD_AT = 6;
const NO_REVISION = { revision: null, isPinned: false } as const;
const NO_STAGES: readonly StageResult[] = [];

/** Names a claim that may be asked again. */
function claimKey(request: ClaimRequest): string | null {
  const name = claimName(request);
  if (name === null) return null;
  const digest = createHash('sha256').update(`${request.owner}\n${name}`).digest();
  return digest.readBigInt64BE().toString();
}

export async function claimJobs(session: Session, request: ClaimRequest): Promise<ClaimedJob[]> {
  if (asksForNone(request)) return [];
  const { values, claimedIn } = await claimCall(session, request);
  return claimedIn(await session.database.verbForLists('claim', values));
}

export function asksForNone({ max, types }: ClaimRequest): boolean {
  return max <= 0 || types.length === 0;
}

/** What the verb is called with, and how its answer is read. */
interface ClaimCall {
  readonly values: readonly unknown[];
  readonly claimedIn: (rows: readonly (readonly unknown[])[]) => Promise<ClaimedJob[]>;
}

/** Names are looked up here, before anybody holds a connection. */
export async function claimCall(session: Session, request: ClaimRequest): Promise<ClaimCall> {
  const { owner, max, queues, turn = 0, revisions } = request;
  const { names, lines } = session;
  const [number] = await names.owners([owner]);
  const tenants = request.tenants && (await names.findTenants(request.tenants));
  const types = claimTypesOf(request.types, revisions);
  const sentAt = performance.now();
  const hints = lines.hints(sentAt);
  const values = [
    number,
    workerActor(owner),
    types,
    max,
    tenants && tenants.filter((id) => id !== null),
    queues,
    claimKey(request),
    randomToken(),
    turn,
    hints,
    revisions === undefined ? null : JSON.stringify(revisions),
    session.now(),
  ];
  const claimedIn = async (rows: readonly (readonly unknown[])[]): Promise<ClaimedJob[]> => {
    if (hints !== null && rows.length <= max) lines.cameShort(request.types);
    if (rows.length === 0) return [];
    const head = JSON.parse(rows[0]![HEAD_AT] as string) as Head;
    if (head.line !== null) lines.learn(head.line, { sentAt, hints });
    // They are claimed by now: what else is read of them may fail, and not tell otherwise.
    return afterWrite(true, () => jobsIn(head, rows, { names, request }));
  };
  return { values, claimedIn };
}

/** The jobs of an answer: the first row is its head, of each job there is one more. */
async function jobsIn(
  head: Head,
  rows: readonly (readonly unknown[])[],
  { names, request: { owner, revisions } }: { names: Dictionary; request: ClaimRequest },
): Promise<ClaimedJob[]> {
  await names.learn(head.groups);
  await names.learn(head.groups.flatMap(({ lanes }) => lanes.map((lane) => ({ lane }))));
  const factsOf = inOrder(rows);
  const odd = new Map(head.odd?.map((one) => [`${one.id} ${one.tenant}`, one]));
  const claimed: ClaimedJob[] = [];
  for (const group of head.groups) {
    const common = commonOf(group, { names, head, owner });
    for (let index = 0; index < group.ids.length; index++) {
      const lane = names.laneOf(group.lanes[index] ?? group.lanes[0]!);
      const id = group.ids[index]!;
      const oddity = odd.size === 0 ? null : (odd.get(`${id} ${lane.tenant}`) ?? null);
      const offered = revisionFor(revisions, lane.type);
      const row = factsOf(id, lane.tenant);
      const job = jobOf(common, { index, lane, row, odd: oddity, names, offered });
      claimed.push({ job, stages: stagesOf(oddity), at: head.at, token: head.token });
    }
  }
  return claimed;
}

/** The row of a job. Most are asked for as they come; what is not, is found by its key. */
function inOrder(rows: readonly (readonly unknown[])[]) {
  let next = 1;
  let byKey: Map<string, readonly unknown[]> | null = null;
  return (id: string, tenant: number): readonly unknown[] => {
    const row = rows[next];
    if (row !== undefined && row[0] === id && row[1] === tenant) {
      next += 1;
      return row;
    }
    byKey ??= new Map(rows.map((one) => [`${one[0] as string} ${one[1] as number}`, one]));
    return byKey.get(`${id} ${tenant}`)!;
  };
}

function stagesOf(odd: Oddity | null): readonly StageResult[] {
  if (odd === null || odd.stages === null) return NO_STAGES;
  return odd.stages.map(([name, result, at]) => ({ name, result, at }));
}

interface Common {
  readonly group: Group;
  readonly lifecycle: string;
  readonly lifecycleVersion: number;
  readonly state: string;
  readonly phase: Job['phase'];
  readonly maxAttempts: number;
  readonly owner: string;
  readonly at: Instant;
}

function commonOf(
  group: Group,
  { names, head, owner }: { names: Dictionary; head: Head; owner: string },
): Common {
  const lifecycle = names.lifecycleOf(group.lifecycle);
  return {
    group,
    lifecycle: lifecycle.name,
    lifecycleVersion: lifecycle.version,
    state: lifecycle.states[group.state - 1]!,
    phase: phaseOfRank(group.phase),
    maxAttempts: names.policy(group.policy).retry.maxAttempts,
    owner,
    at: head.at,
  };
}

interface Parts {
  readonly index: number;
  readonly lane: { readonly tenant: number; readonly queue: string; readonly type: string };
  /** id, tenant, createdAt, input, metadata, labels. */
  readonly row: readonly unknown[];
  readonly odd: Oddity | null;
  /** What a job that was never claimed before has now got. */
  readonly offered: Revision | null;
  readonly names: Dictionary;
}

function jobOf(common: Common, { index, lane, row, odd, names, offered }: Parts): Job {
  const { group, at } = common;
  const createdAt = row[2] as number;
  const started = common.phase === 'executing' ? at : null;
  return {
    tenant: names.tenantName(lane.tenant),
    id: group.ids[index]!,
    type: lane.type,
    queue: lane.queue,
    lifecycle: common.lifecycle,
    lifecycleVersion: common.lifecycleVersion,
    policy: group.policy,
    state: common.state,
    phase: common.phase,
    epoch: group.epochs[index] ?? group.epochs[0]!,
    version: group.versions[index] ?? group.versions[0]!,
    priority: odd === null ? 0 : odd.priority,
    runAt: odd === null ? createdAt : odd.runAt,
    deadlineAt: odd === null ? null : odd.deadlineAt,
    attempts: group.attempts[index] ?? group.attempts[0]!,
    maxAttempts: common.maxAttempts,
    retryCount: group.retries[index] ?? group.retries[0]!,
    backoffMs: odd === null ? null : odd.backoffMs,
    ...revisionAfter(odd ?? NO_REVISION, offered),
    progress: odd === null ? 0 : odd.progress,
    stage: odd === null ? null : odd.stage,
    message: odd === null ? null : odd.message,
    owner: common.owner,
    leaseExpiry: odd === null ? at + group.leaseMs : odd.leaseExpiry,
    cancel: odd === null ? null : cancelOf(odd.cancelMode, odd.cancelReason),
    createdAt,
    updatedAt: odd === null ? at : odd.updatedAt,
    startedAt: odd === null ? started : odd.startedAt,
    completedAt: null,
    error: odd === null ? null : errorOf(odd.error),
    input: (odd === null ? null : odd.input) ?? (row[3] as JsonText),
    result: null,
    checkpoint: odd === null ? null : odd.checkpoint,
    metadata: row[4] as JsonText | null,
    ...labelsOf(row[5] as string | null),
  };
}
