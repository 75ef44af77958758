// Mistakes in how jobs wait, planted one by one in a copy of the tree: a test must turn red.
import type { Rung } from '../figures.ts';
import { Plantation, staleness } from './plantation.ts';
import { FAILOVER_CHANGES } from './failovers.ts';
import { MOVE_CHANGES } from './moves.ts';
import { type FlowChange, REVISION_CHANGES } from './revisions.ts';

const FOLLOWER = 'test/spec/flows-follower.test.ts';
const TREE = 'test/spec/flows-tree.test.ts';
const WAITS = 'test/spec/flows-waits.test.ts';
const CHILDREN = 'test/spec/flows.test.ts';
const GRAPH = 'test/spec/flows-graph.test.ts';
const LINKS = 'test/spec/message-links.test.ts';
const BLIND = 'test/spec/flows-blind.test.ts';
const LIMITS = 'test/spec/flows-limits.test.ts';
const IN_SQLITE = 'sqlite inline';

export const FLOW_CHANGES: readonly FlowChange[] = [
  {
    mistake: 'nobody looks after the sleep, only before it',
    file: 'packages/pawl/src/engine/flows/flow-follower.ts',
    from: "if (type === 'job_suspended' || type === 'job_message' || isBirth) {",
    to: "if (type === 'job_message' || isBirth) {",
    tests: FOLLOWER,
  },
  {
    mistake: 'the end of a child causes no look',
    file: 'packages/pawl/src/engine/flows/flow-follower.ts',
    from: '    await this.#look(parents);',
    to: '    await this.#look(parents.slice(parents.length));',
    tests: FOLLOWER,
  },
  {
    mistake: 'a parent is locked only while it already waits, so that an end before is lost',
    file: 'packages/pawl/src/engine/flows/flow-follower.ts',
    from: '    const waiting = refs.filter((_, index) => found[index] !== null);',
    to: '    const waiting = refs.filter((_, index) => found[index] === undefined);',
    tests: FOLLOWER,
  },
  {
    mistake: 'a look that another look is in the way of is skipped',
    file: 'packages/pawl/src/engine/flows/open-sets.ts',
    from: 'if (set.isFailFast && isFailed) {',
    to: 'if (set.isFailFast && !isFailed) {',
    tests: FOLLOWER,
  },
  {
    mistake: 'an end that nobody has waited for yet causes no look',
    file: 'packages/pawl/src/engine/flows/open-sets.ts',
    from: 'if (own === undefined || set === undefined) return true;',
    to: 'if (own === undefined || set === undefined) return false;',
    tests: FOLLOWER,
  },
  {
    mistake: 'who follows the log again waits for ends that another process has read',
    file: 'packages/pawl/src/engine/flows/flow-follower.ts',
    from: '    if (!isContinued) this.#open.clear();\n',
    to: '',
    tests: FOLLOWER,
  },
  {
    mistake: 'a part of a large set is not looked at',
    file: 'packages/pawl/src/engine/flows/children.ts',
    from: 'for (let number = over.below - 1; number >= 0; number--) {',
    to: 'for (let number = over.below - 1; number > 0; number--) {',
    tests: FOLLOWER,
  },
  {
    mistake: 'who ends a job leaves those that need it to others',
    file: 'packages/pawl/src/engine/flows/looks.ts',
    from: 'if (hasEnded && (isGatedId(before.id) ||',
    to: 'if (!hasEnded && (isGatedId(before.id) ||',
    tests: GRAPH,
    titles: IN_SQLITE,
  },
  {
    mistake: 'a failed child is taken for an open one',
    file: 'packages/pawl/src/engine/flows/children.ts',
    from: "  return phase === 'succeeded' ? 'succeeded' : 'failed';",
    to: "  return phase === 'succeeded' ? 'succeeded' : null;",
    tests: FOLLOWER,
  },
  {
    mistake: 'a job is woken in another epoch than it waits in',
    file: 'packages/pawl/src/engine/flows/look.ts',
    from: '  if (!found || found.epoch !== job.epoch || found.phase !== job.phase) return null;',
    to: '  if (!found) return null;',
    tests: FOLLOWER,
  },
  {
    mistake: 'a spawn is not fenced',
    file: 'packages/pawl/src/engine/flows/spawn.ts',
    from: '    { ...fenceOf(owner), isUncancelled: true },\n',
    to: '',
    tests: CHILDREN,
    titles: IN_SQLITE,
  },
  {
    mistake: 'a cancel misses a child that is spawned after it',
    file: 'packages/pawl/src/engine/flows/spawn.ts',
    from: '    { ...fenceOf(owner), isUncancelled: true },\n',
    to: '    fenceOf(owner),\n',
    tests: CHILDREN,
    titles: IN_SQLITE,
  },
  {
    mistake: "a child's id has no key in it",
    file: 'packages/pawl/src/core/ids.ts',
    from: 'digestOf(JSON.stringify([parent.tenant, parent.id, wait, key]))',
    to: 'digestOf(JSON.stringify([parent.tenant, parent.id, wait]))',
    tests: FOLLOWER,
  },
  {
    mistake: "a child's id has no wait in it",
    file: 'packages/pawl/src/core/ids.ts',
    from: 'digestOf(JSON.stringify([parent.tenant, parent.id, wait, key]))',
    to: 'digestOf(JSON.stringify([parent.tenant, parent.id, key]))',
    tests: FOLLOWER,
  },
  {
    mistake: 'a message is taken twice',
    file: 'packages/pawl/src/engine/flows/decide.ts',
    from: 'inbox.find((one) => !this.#taken.has(one.message.number)) ?? null;',
    to: 'inbox[0] ?? null;',
    tests: WAITS,
    titles: IN_SQLITE,
  },
  {
    mistake: 'a message that came before its wait is lost',
    file: 'packages/pawl/src/engine/flows/look.ts',
    from: 'return (await context.records.flows.inbox(job, wait.message, 1)).length > 0;',
    to: 'return false;',
    tests: FOLLOWER,
  },
  {
    mistake: 'a time and a message both win',
    file: 'packages/pawl/src/engine/flows/decide.ts',
    from: '      if (wait.winner !== null && wait.winner !== key) continue;\n',
    to: '',
    tests: WAITS,
    titles: IN_SQLITE,
  },
  {
    mistake: 'a child is removed before its parent has ended, in memory',
    file: 'packages/pawl/src/store/memory/retention.ts',
    from: '    .filter((job) => !isAwaited(tables, job))\n',
    to: '',
    tests: 'packages/pawl/test/store/memory.test.ts',
    titles: 'no child goes before',
  },
  {
    mistake: 'a child is removed before its parent has ended, in SQLite',
    file: 'packages/pawl/src/store/sqlite/sql/purge.sql',
    from: 'f.awaited_by IS NULL OR NOT EXISTS',
    to: 'f.awaited_by IS NULL OR EXISTS',
    tests: 'packages/pawl/test/store/sqlite.test.ts',
    titles: 'no child goes before',
  },
  {
    mistake: 'a failed child counts beside its replay',
    file: 'packages/pawl/src/engine/flows/children.ts',
    from: '    if (letter.replayedAs === null) return null;',
    to: '    if (letter.replayedAs === null) return job;',
    tests: WAITS,
    titles: IN_SQLITE,
  },
  {
    mistake: 'the end of a parent leaves its children alone',
    file: 'packages/pawl/src/engine/flows/flow-follower.ts',
    from: 'if (job && isTerminal(job.phase)) this.#made',
    to: 'if (job && !isTerminal(job.phase)) this.#made',
    tests: CHILDREN,
    titles: IN_SQLITE,
  },
  {
    mistake: 'a sleep is forgotten beside other waits',
    file: 'packages/pawl/src/engine/flows/suspend.ts',
    from: 'const delayMs = until === null ? FAR_MS : Math.max(0, until - at);',
    to: 'const delayMs = waits.length > 1 ? FAR_MS : Math.max(0, (until ?? at + FAR_MS) - at);',
    tests: FOLLOWER,
  },
  {
    mistake: 'a set is complete although one of its children was refused',
    file: 'packages/pawl/src/engine/flows/spawn.ts',
    from: '    isComplete: isLast && !given.isRisky,',
    to: '    isComplete: isLast,',
    tests: TREE,
  },
  {
    mistake: 'who lost his place in the log goes on as if nothing were',
    file: 'packages/pawl/src/engine/flows/flow-follower.ts',
    from: '      onReset: () => this.#lookAtAll(),\n',
    to: '',
    tests: TREE,
  },
  {
    mistake: 'other inputs under a kept name go unnoticed',
    file: 'packages/pawl/src/engine/flows/spawn.ts',
    from: 'if (chunk.digest !== digestOf(items)) throw',
    to: "if (chunk.digest === '') throw",
    tests: CHILDREN,
    titles: IN_SQLITE,
  },
  {
    mistake: 'who is woken stands at the end of the line',
    file: 'packages/pawl/src/store/sqlite/apply.ts',
    from: "connection.sql('birth').get(row.key)!['created_at'] as number;",
    to: "Math.max(now, connection.sql('birth').get(row.key)!['created_at'] as number);",
    tests: 'packages/pawl/test/store/sqlite.test.ts',
    titles: 'takes the place in line',
  },
  {
    mistake: 'a job runs although what it needs has failed',
    file: 'packages/pawl/src/engine/flows/look.ts',
    from: "    if (end === 'failed' && onNeedFailed !== 'run') {",
    to: "    if (end === 'failed' && onNeedFailed === 'run') {",
    tests: GRAPH,
    titles: IN_SQLITE,
  },
  {
    mistake: 'a link can be used again',
    file: 'packages/pawl/src/engine/flows/message-link.ts',
    from: 'payload: value ?? payload, key: keyOf(claims), actor',
    to: 'payload: value ?? payload, actor',
    tests: LINKS,
  },
  {
    mistake: 'a link sends what it is told instead of its value',
    file: 'packages/pawl/src/engine/flows/message-link.ts',
    from: 'payload: value ?? payload,',
    to: 'payload,',
    tests: LINKS,
  },
  {
    mistake: 'a link outlives its job',
    file: 'packages/pawl/src/engine/flows/message-link.ts',
    from: 'if (!job || isTerminal(job.phase)) throw over();',
    to: 'if (!job) throw over();',
    tests: LINKS,
  },
  {
    mistake: 'a name of an encrypted flow is told to the platform',
    file: 'packages/pawl/src/codec/wrap/flow-names.ts',
    from: "    return this.#sealed(key, 'child', wait);",
    to: '    return `${wait}/${key}`;',
    tests: BLIND,
  },
  {
    mistake: 'a plain message is let into the mailbox of an encrypted job',
    file: 'packages/pawl/src/engine/flows/messages.ts',
    from: '  await refusePlainMessage(context, job, payload);\n',
    to: '',
    tests: BLIND,
  },
  {
    mistake: 'waits are not counted among what a job keeps',
    file: 'packages/pawl/src/engine/flows/decide.ts',
    from: 'turn.ops.push(keptOp(job, turn.begun));',
    to: '',
    tests: LIMITS,
  },
  ...REVISION_CHANGES,
  ...FAILOVER_CHANGES,
  ...MOVE_CHANGES,
];

export function staleFlowChanges(): string[] {
  return FLOW_CHANGES.flatMap((one) => {
    const stale = staleness(one);
    return stale === null ? [] : [`${one.mistake}: ${stale}`];
  });
}

/** `npm run proof:mutants -- --flows`, of some with `--flows text`. */
export const runFlowMutants: Rung = async (options, say) => {
  const wanted = options.text('flows') ?? '';
  const chosen = FLOW_CHANGES.filter(({ mistake }) => mistake.includes(wanted));
  const stale = staleFlowChanges();
  if (stale.length > 0) return { figures: { planted: 0 }, violations: stale };
  const plantation = new Plantation();
  const violations: string[] = [];
  try {
    for (const { mistake, tests, titles = null, ...change } of chosen) {
      const isSeen = await plantation.isCaught(change, tests, titles);
      say(`${isSeen ? 'caught' : 'MISSED'}  ${mistake}`);
      if (!isSeen) violations.push(`${tests} did not notice that ${mistake}`);
    }
    for (const tests of new Set(chosen.map((one) => one.tests))) {
      const { titles = null } = chosen.find((one) => one.tests === tests)!;
      const isGreen = await plantation.isGreen(tests, titles);
      if (!isGreen) violations.push(`${tests} is red without any mistake`);
    }
  } finally {
    plantation.remove();
  }
  const caught = chosen.length - violations.length;
  return { figures: { planted: chosen.length, caught }, violations };
};
