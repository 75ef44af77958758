// Errors that handlers leave to nobody, in a process of their own: a test runner has listeners of
// its own for those.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { before, describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { APART_DEEDS, type Deed, DEEDS, LATE_DEEDS } from '../fixtures/handlers/floating.ts';
import type { Told } from './uncaught-process.ts';

interface Run {
  readonly code: number | null;
  readonly told: Told;
  readonly stderr: string;
}

function runProgram(...args: readonly string[]): Promise<Run> {
  const file = fileURLToPath(new URL('./uncaught-process.ts', import.meta.url));
  const child = spawn(process.execPath, [file, ...args], { stdio: ['ignore', 'pipe', 'pipe'] });
  const said = { stdout: '', stderr: '' };
  child.stdout.on('data', (chunk: Buffer) => (said.stdout += chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => (said.stderr += chunk.toString()));
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (code) => {
      const told = JSON.parse(said.stdout || '{}') as Told;
      resolve({ code, told, stderr: said.stderr });
    });
  });
}

const KINDS = ['inline', 'thread', 'process'] as const;
type Kind = (typeof KINDS)[number];

/** Of what class the error is, where it is not that of the others. */
const CLASSES: Partial<Record<Deed, string>> = {
  'an error that is fatal': 'BadAddress',
  'a socket without a listener': 'Error',
  'null in a timer': 'Error',
};

describe('an error that a handler leaves to nobody', () => {
  let run: Run;
  before(async () => {
    run = await runProgram();
  });
  const jobOf = (kind: Kind, deed: Deed): Told['jobs'][number] => {
    const found = run.told.jobs.find((job) => job.kind === kind && job.deed === deed);
    assert.ok(found, `${kind}: ${deed}`);
    return found;
  };

  test('does not end the process', () => {
    assert.equal(run.code, 0, run.stderr);
  });

  for (const kind of KINDS) {
    test(`[D17, R12] in ${kind}, fails its own attempt and is judged as any other`, () => {
      for (const deed of kind === 'inline' ? (Object.keys(DEEDS) as Deed[]) : APART_DEEDS) {
        const { state, attempts, error } = jobOf(kind, deed);
        const attemptsMax = deed === 'an error that is fatal' ? 1 : 2;
        const errorClass = CLASSES[deed] ?? 'TransientError';
        assert.deepEqual(
          [state, attempts, error?.class],
          ['failed', attemptsMax, errorClass],
          deed,
        );
        if (deed === 'null in a timer') continue;
        assert.match(error!.stack!, /\n {4}at /, deed);
      }
      const { error } = jobOf(kind, 'an error that is fatal');
      assert.match(error!.hint!, /"BadAddress" is fatal for type "floating-/);
    });

    test(`[D17] in ${kind}, disturbs no other job`, () => {
      const { state, attempts, result } = jobOf(kind, 'waits for the others');
      assert.deepEqual([state, attempts, result], ['succeeded', 1, '"undisturbed"']);
    });

    test(`in ${kind}, changes no end that was told`, () => {
      for (const deed of Object.keys(LATE_DEEDS) as Deed[]) {
        const { state, attempts, result } = jobOf(kind, deed);
        assert.deepEqual([state, attempts, result], ['succeeded', 1, '"done before"'], deed);
      }
    });
  }

  test('keeps its code', () => {
    assert.equal(jobOf('inline', 'a socket without a listener').error!.code, 'ECONNREFUSED');
  });

  test('is logged with its job and its stack where it comes after the end', () => {
    const late = run.told.warnings.filter(({ facts }) => facts['error'] === 'too late');
    assert.equal(late.length, 1, 'of the handler in this process; the others are gone by then');
    for (const { message, facts } of late) {
      assert.match(message, /^pawl: uncaught error of a handler whose attempt had ended/);
      assert.match(String(facts['jobId']), /^[\da-f-]{36}$/);
      assert.match(String(facts['stack']), /floating\.ts:\d+/);
    }
  });

  test('is logged once and counted where nobody can know whose it is', () => {
    const own = run.told.warnings.filter(({ facts }) => facts['error'] === 'of the program itself');
    assert.equal(own.length, 1);
    assert.match(own[0]!.message, /^pawl: uncaught error that belongs to no attempt/);
    assert.equal(own[0]!.facts['jobId'], undefined);
    assert.equal(run.told.counted, run.told.warnings.length);
  });

  test('says nothing where it only tells a late writer to stop', () => {
    const stops = run.told.warnings.filter(({ facts }) => facts['errorClass'] === 'JobStop');
    assert.deepEqual(stops, []);
  });
});

test('when no worker works any more, errors of the program end it as they always did', async () => {
  const { code, stderr } = await runProgram('afterwards');
  assert.equal(code, 1);
  assert.match(stderr, /Error: when no worker works/);
});
