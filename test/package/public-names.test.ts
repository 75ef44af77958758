// What users can import, by name. A name that comes or goes is a decision: it changes here too.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { sourcePaths } from '../../scripts/run/own-sources.ts';
import { inRepository } from '../../scripts/run/repository.ts';
import { exportedBy, namesIn } from './exported-names.ts';

const words = (text: string): string[] => text.trim().split(/\s+/);

const VALUES = words(`
  ChildrenFailed declareJob defineConfig defineJob defineLifecycle drainOnSignal exponential fail
  fixed fromTypebox
  isChildrenFailed isJobCancelled isJobFailed isJobFailure isJobType isPawlError isSuspended item
  JobCancelled JobFailed JobFailure JobGone JobStop LeaseConflictError LifecycleError lifecycles
  openPawl PawlError PermanentError StoreError TransientError typed ValidationError WaitTimeout
`);

const TYPES = words(`
  ArtifactSnapshot BatchJob BatchOptions CallOptions ChildOutcome Children Compensation Config
  Context DeadLetters DeadLetterSnapshot DeclaredJob Duration
  EnqueueOptions ErrorCode Failed FailedChild FailureCause Failures Finding FireSnapshot First
  FlowVerbs
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
  @pawl/server/outgoing @pawl/studio @pawl/studio/commands create-pawl
  pawl pawl/cli pawl/client pawl/codec pawl/define pawl/eslint pawl/plugin pawl/testing pawl/tx
`);

/** The most names that an entry gives away; more of them is a decision. */
const NAMES_MAX: Readonly<Record<string, number>> = {
  '@pawl/move': 2,
  '@pawl/move/commands': 1,
  '@pawl/ogc': 5,
  '@pawl/server': 10,
  '@pawl/server/commands': 1,
  '@pawl/server/outgoing': 4,
  '@pawl/studio': 10,
  '@pawl/studio/commands': 1,
  'create-pawl': 3,
  pawl: VALUES.length + TYPES.length,
  'pawl/cli': 20,
  'pawl/client': 40,
  'pawl/codec': 20,
  'pawl/define': 75,
  'pawl/eslint': 2,
  'pawl/plugin': 102,
  'pawl/testing': 8,
  'pawl/tx': 12,
};

test('the package gives away these names, and no others', async () => {
  const text = readFileSync(inRepository('packages/pawl/src/index.ts'), 'utf8');
  assert.doesNotMatch(text, /^export (?!(?:type )?\{)/m, 'every export is in a list');
  const { types = [], values = [] } = Object.groupBy(namesIn(text), ({ isType }) =>
    isType ? 'types' : 'values',
  );
  assert.deepEqual(values.map(({ name }) => name).toSorted(), VALUES.toSorted());
  assert.deepEqual(types.map(({ name }) => name).toSorted(), TYPES.toSorted());
  assert.deepEqual(Object.keys(await import('pawl')).toSorted(), VALUES.toSorted());
});

test('every entry stays within its budget of names', () => {
  assert.deepEqual(Object.keys(NAMES_MAX).toSorted(), MODULES);
  for (const [entry, most] of Object.entries(NAMES_MAX)) {
    const count = exportedBy(inRepository(sourcePaths.get(entry)!)).size;
    assert.ok(count > 0 && count <= most, `${entry} gives away ${count} names`);
  }
});

test('the packages have these entries, and no others', () => {
  assert.deepEqual([...sourcePaths.keys()].toSorted(), MODULES);
});

test('names are read with and without `type`, and by the name that users see', () => {
  const text =
    "export { a, type B } from 'x';\nexport type {\n  C as D,\n} from 'y';\n" +
    'export abstract class E {}\nexport async function f() {}\nexport interface G {}\n';
  const names = namesIn(text).map(({ name, isType }) => (isType ? `type ${name}` : name));
  assert.deepEqual(names, ['a', 'type B', 'type D', 'E', 'f', 'type G']);
});
