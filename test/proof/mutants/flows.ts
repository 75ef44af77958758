// Mistakes in how jobs wait, planted one by one in a copy of the tree: a test must turn red.
import type { Rung } from '../figures.ts';
import { type Change, Plantation, staleness } from './plantation.ts';

interface FlowChange extends Change {
  readonly mistake: string;
  readonly tests: string;
  readonly titles?: string;
}

const FOLLOWER = 'test/spec/flows-follower.test.ts';
const TREE = 'test/spec/flows-tree.test.ts';
const WAITS = 'test/spec/flows-waits.test.ts';
const CHILDREN = 'test/spec/flows.test.ts';
const GRAPH = 'test/spec/flows-graph.test.ts';
const IN_SQLITE = 'sqlite inline';

export const FLOW_CHANGES: readonly FlowChange[] = [
  {
    mistake: 'nobody looks after the sleep, only before it',
    file: 'src/engine/flows/flow-follower.ts',
    from: "if (type === 'job_suspended' || type === 'job_message' || isBirth) {",
    to: "if (type === 'job_message' || isBirth) {",
    tests: FOLLOWER,
  },
  {
    mistake: 'the end of a child causes no look',
    file: 'src/engine/flows/flow-follower.ts',
    from: '    await this.#look([...parents.values()]);',
    to: '    parents.clear();',
    tests: FOLLOWER,
  },
  {
    mistake: 'a parent is locked only while it already waits, so that an end before is lost',
    file: 'src/engine/flows/flow-follower.ts',
    from: '    const waiting = refs.filter((_, index) => found[index] !== null);',
    to: '    const waiting = refs.filter((_, index) => found[index] === undefined);',
    tests: FOLLOWER,
  },
  {
    mistake: 'a look that another look is in the way of is skipped',
    file: 'src/engine/flows/open-sets.ts',
    from: 'if (set.ids.size === 0 || (set.isFailFast && child.isFailed)) due',
    to: 'if (set.ids.size === 0) due',
    tests: FOLLOWER,
  },
  {
    mistake: 'a failed child is taken for an open one',
    file: 'src/engine/flows/children.ts',
    from: "  return phase === 'succeeded' ? 'succeeded' : 'failed';",
    to: "  return phase === 'succeeded' ? 'succeeded' : null;",
    tests: FOLLOWER,
  },
  {
    mistake: 'a job is woken in another epoch than it waits in',
    file: 'src/engine/flows/look.ts',
    from: '  if (!found || found.epoch !== job.epoch || found.phase !== job.phase) return null;',
    to: '  if (!found) return null;',
    tests: FOLLOWER,
  },
  {
    mistake: 'a spawn is not fenced',
    file: 'src/engine/flows/spawn.ts',
    from: '    { ...fenceOf(owner), isUncancelled: true },\n',
    to: '',
    tests: CHILDREN,
    titles: IN_SQLITE,
  },
  {
    mistake: 'a cancel misses a child that is spawned after it',
    file: 'src/engine/flows/spawn.ts',
    from: '    { ...fenceOf(owner), isUncancelled: true },\n',
    to: '    fenceOf(owner),\n',
    tests: CHILDREN,
    titles: IN_SQLITE,
  },
  {
    mistake: "a child's id has no key in it",
    file: 'src/core/ids.ts',
    from: 'digestOf(JSON.stringify([parent.tenant, parent.id, wait, key]))',
    to: 'digestOf(JSON.stringify([parent.tenant, parent.id, wait]))',
    tests: FOLLOWER,
  },
  {
    mistake: "a child's id has no wait in it",
    file: 'src/core/ids.ts',
    from: 'digestOf(JSON.stringify([parent.tenant, parent.id, wait, key]))',
    to: 'digestOf(JSON.stringify([parent.tenant, parent.id, key]))',
    tests: FOLLOWER,
  },
  {
    mistake: 'a message is taken twice',
    file: 'src/engine/flows/decide.ts',
    from: 'inbox.find((one) => !this.#taken.has(one.message.number)) ?? null;',
    to: 'inbox[0] ?? null;',
    tests: WAITS,
    titles: IN_SQLITE,
  },
  {
    mistake: 'a message that came before its wait is lost',
    file: 'src/engine/flows/look.ts',
    from: 'return (await context.records.flows.inbox(job, wait.message, 1)).length > 0;',
    to: 'return false;',
    tests: FOLLOWER,
  },
  {
    mistake: 'a time and a message both win',
    file: 'src/engine/flows/decide.ts',
    from: '      if (wait.winner !== null && wait.winner !== key) continue;\n',
    to: '',
    tests: WAITS,
    titles: IN_SQLITE,
  },
  {
    mistake: 'a child is removed before its parent has ended, in memory',
    file: 'src/store/memory/retention.ts',
    from: '    .filter((job) => !isAwaited(tables, job))\n',
    to: '',
    tests: 'test/store/memory.test.ts',
    titles: 'no child goes before',
  },
  {
    mistake: 'a child is removed before its parent has ended, in SQLite',
    file: 'src/store/sqlite/sql/purge.sql',
    from: 'f.awaited_by IS NULL OR NOT EXISTS',
    to: 'f.awaited_by IS NULL OR EXISTS',
    tests: 'test/store/sqlite.test.ts',
    titles: 'no child goes before',
  },
  {
    mistake: 'a failed child counts beside its replay',
    file: 'src/engine/flows/children.ts',
    from: '    if (letter.replayedAs === null) return null;',
    to: '    if (letter.replayedAs === null) return job;',
    tests: WAITS,
    titles: IN_SQLITE,
  },
  {
    mistake: 'the end of a parent leaves its children alone',
    file: 'src/engine/flows/flow-follower.ts',
    from: 'if (job && isTerminal(job.phase)) this.#made',
    to: 'if (job && !isTerminal(job.phase)) this.#made',
    tests: CHILDREN,
    titles: IN_SQLITE,
  },
  {
    mistake: 'a sleep is forgotten beside other waits',
    file: 'src/engine/flows/suspend.ts',
    from: 'const delayMs = until === null ? FAR_MS : Math.max(0, until - at);',
    to: 'const delayMs = waits.length > 1 ? FAR_MS : Math.max(0, (until ?? at + FAR_MS) - at);',
    tests: FOLLOWER,
  },
  {
    mistake: 'a set is complete although one of its children was refused',
    file: 'src/engine/flows/spawn.ts',
    from: '    isComplete: isLast && !given.isRisky,',
    to: '    isComplete: isLast,',
    tests: TREE,
  },
  {
    mistake: 'who lost his place in the log goes on as if nothing were',
    file: 'src/engine/flows/flow-follower.ts',
    from: '      onReset: () => this.#lookAtAll(),\n',
    to: '',
    tests: TREE,
  },
  {
    mistake: 'other inputs under a kept name go unnoticed',
    file: 'src/engine/flows/spawn.ts',
    from: 'if (chunk.digest !== digestOf(items)) throw',
    to: "if (chunk.digest === '') throw",
    tests: CHILDREN,
    titles: IN_SQLITE,
  },
  {
    mistake: 'who is woken stands at the end of the line',
    file: 'src/store/sqlite/apply.ts',
    from: "connection.sql('birth').get(row.key)!['created_at'] as number;",
    to: "Math.max(now, connection.sql('birth').get(row.key)!['created_at'] as number);",
    tests: 'test/store/sqlite.test.ts',
    titles: 'takes the place in line',
  },
  {
    mistake: 'a job runs although what it needs has failed',
    file: 'src/engine/flows/look.ts',
    from: "    if (end === 'failed' && onNeedFailed !== 'run') {",
    to: "    if (end === 'failed' && onNeedFailed === 'run') {",
    tests: GRAPH,
    titles: IN_SQLITE,
  },
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
      if (!(await plantation.isGreen(tests, titlesFor(chosen, tests)))) {
        violations.push(`${tests} is red without any mistake`);
      }
    }
  } finally {
    plantation.remove();
  }
  const caught = chosen.length - violations.length;
  return { figures: { planted: chosen.length, caught }, violations };
};

function titlesFor(chosen: readonly FlowChange[], tests: string): string | null {
  return chosen.find((one) => one.tests === tests)?.titles ?? null;
}
