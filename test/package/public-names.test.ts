// What users can import, by name. A name that comes or goes is a decision: it changes here too.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { sourcePaths } from '../../scripts/run/own-sources.ts';
import { inRepository } from '../../scripts/run/repository.ts';

const words = (text: string): string[] => text.trim().split(/\s+/);

const VALUES = words(`
  ChildrenFailed declareJob defineConfig defineJob defineLifecycle drainOnSignal exponential fail
  fixed fromTypebox
  isChildrenFailed isJobCancelled isJobFailed isJobFailure isJobType isPawlError isSuspended item
  JobCancelled JobFailed JobFailure JobGone JobStop LeaseConflictError LifecycleError lifecycles
  openPawl PawlError PermanentError StoreError TransientError typed ValidationError WaitTimeout
`);

const TYPES = words(`
  ArtifactSnapshot CallOptions ChildOutcome Children Compensation Config Context DeadLetters
  DeadLetterSnapshot DeclaredJob Duration
  EnqueueOptions ErrorCode FailedChild FailureCause Failures Finding FireSnapshot First FlowVerbs
  GraphHandles GraphItem GraphOptions InputOf Isolation
  JobDefinition JobError JobEventSnapshot JobFacts JobHandle JobObserver JobOptions JobQuery
  JobSnapshot JobType JobVerbs Json KeptArtifact Lifecycle LifecycleDefinition ManyResults None
  ObservedChange ObservedEvent OnNeedFailed OpenedArtifact Page Pawl PawlOptions PawlWorker Phase
  QueueCounts QueueHandle QueueSnapshot ResultOf RunContext ScheduleRule Schedules ScheduleSnapshot
  Schema Spawned Transaction TreeSnapshot TriedJob UnnamedWait UserLog Wait WaitSnapshot
  WhySnapshot WorkOptions
`);

const MODULES = words(`
  @pawl/move @pawl/move/commands @pawl/ogc @pawl/server @pawl/server/commands
  @pawl/server/outgoing @pawl/studio @pawl/studio/commands
  pawl pawl/cli pawl/client pawl/codec pawl/define pawl/plugin pawl/testing pawl/tx
`);

/** The most names that an entry gives away; more of them is a decision. */
const NAMES_MAX: Readonly<Record<string, number>> = {
  'pawl/cli': 20,
  'pawl/define': 100,
  'pawl/plugin': 80,
  '@pawl/server': 10,
};

const LIST = /^export (type )?\{([^}]*)\} from/gm;

/** The names that a module of nothing but `export … from` gives away. */
function namesIn(text: string): { readonly values: string[]; readonly types: string[] } {
  const all = [...text.matchAll(LIST)].flatMap(([, areTypes, list = '']) =>
    list.split(',').flatMap((one) => {
      const [, isType, name] = /^\s*(type )?(?:\w+ as )?(\w+)\s*$/.exec(one) ?? [];
      return name === undefined ? [] : [{ name, isType: (areTypes ?? isType) !== undefined }];
    }),
  );
  const named = (isType: boolean): string[] =>
    all.filter((one) => one.isType === isType).map(({ name }) => name);
  return { values: named(false), types: named(true) };
}

test('the package gives away these names, and no others', async () => {
  const text = readFileSync(inRepository('packages/pawl/src/index.ts'), 'utf8');
  assert.doesNotMatch(text, /^export (?!(?:type )?\{)/m, 'every export is in a list');
  const { values, types } = namesIn(text);
  assert.deepEqual(values.toSorted(), VALUES.toSorted());
  assert.deepEqual(types.toSorted(), TYPES.toSorted());
  assert.deepEqual(Object.keys(await import('pawl')).toSorted(), VALUES.toSorted());
});

test('the other entries stay within their budgets of names', () => {
  for (const [entry, most] of Object.entries(NAMES_MAX)) {
    const text = readFileSync(inRepository(sourcePaths.get(entry)!), 'utf8');
    const { values, types } = namesIn(text);
    const count = values.length + types.length;
    assert.ok(count > 0 && count <= most, `${entry} gives away ${count} names`);
  }
});

test('the packages have these entries, and no others', () => {
  assert.deepEqual([...sourcePaths.keys()].toSorted(), MODULES);
});

test('names are read with and without `type`, and by the name that users see', () => {
  const text = "export { a, type B } from 'x';\nexport type {\n  C as D,\n} from 'y';\n";
  assert.deepEqual(namesIn(text), { values: ['a'], types: ['B', 'D'] });
});
