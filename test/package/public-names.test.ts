// What users can import, by name. A name that comes or goes is a decision: it changes here too.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { sourcePaths } from '../../scripts/run/own-sources.ts';
import { inRepository } from '../../scripts/run/repository.ts';

const words = (text: string): string[] => text.trim().split(/\s+/);

const VALUES = words(`
  ChildrenFailed
  declareJob defineJob defineLifecycle drainOnSignal exponential fail fixed fromTypebox
  isChildrenFailed isJobCancelled isJobFailed isJobFailure isJobType isPawlError isSuspended item
  JobCancelled JobFailed JobFailure JobGone JobStop LeaseConflictError LifecycleError lifecycles
  openPawl PawlError PermanentError StoreError TransientError typed ValidationError WaitTimeout
`);

const TYPES = words(`
  ArtifactSnapshot CallOptions ChildOutcome Children
  Compensation Context DeadLetters DeadLetterSnapshot DeclaredJob Duration
  EnqueueOptions ErrorCode FailedChild FailureCause Failures Finding FireSnapshot First FlowVerbs
  GraphHandles GraphItem GraphOptions InputOf Isolation
  JobDefinition JobError JobEventSnapshot JobFacts JobHandle JobObserver JobOptions JobQuery
  JobSnapshot JobType JobVerbs Json KeptArtifact Lifecycle LifecycleDefinition ManyResults None
  ObservedChange ObservedEvent OnNeedFailed OpenedArtifact Page Pawl PawlOptions PawlWorker Phase
  QueueCounts QueueHandle QueueSnapshot ResultOf RunContext ScheduleRule Schedules ScheduleSnapshot
  Schema Spawned Transaction TreeSnapshot TriedJob UnnamedWait UserLog Wait WaitSnapshot
  WhySnapshot WorkOptions
`);

const MODULES = words('pawl pawl/client pawl/codec pawl/studio pawl/testing pawl/tx');

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
  const text = readFileSync(inRepository('src/index.ts'), 'utf8');
  assert.doesNotMatch(text, /^export (?!(?:type )?\{)/m, 'every export is in a list');
  const { values, types } = namesIn(text);
  assert.deepEqual(values.toSorted(), VALUES.toSorted());
  assert.deepEqual(types.toSorted(), TYPES.toSorted());
  assert.deepEqual(Object.keys(await import('../../src/index.ts')).toSorted(), VALUES.toSorted());
});

test('the package has these modules, and no others', () => {
  assert.deepEqual([...sourcePaths.keys()].toSorted(), MODULES);
});

test('names are read with and without `type`, and by the name that users see', () => {
  const text = "export { a, type B } from 'x';\nexport type {\n  C as D,\n} from 'y';\n";
  assert.deepEqual(namesIn(text), { values: ['a'], types: ['B', 'D'] });
});
