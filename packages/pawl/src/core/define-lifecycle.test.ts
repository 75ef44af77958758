import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { builtInLifecycles } from '../lifecycles/built-in.ts';
import { defineLifecycle, type LifecycleDefinition, LifecycleError } from './define-lifecycle.ts';
import { placeName } from './lifecycle.ts';
import { checkLifecycle, listedMoves } from './lifecycle-soundness.ts';

type Rows = LifecycleDefinition['transitions'];

const ROWS: Rows = [
  { on: 'claim', from: 'open', to: 'busy' },
  { on: 'succeed', from: 'busy', to: 'done' },
  { on: 'fail', from: 'busy', to: 'broken' },
  { on: 'lose', from: 'busy', to: 'broken' },
  { on: 'release', from: 'busy', to: 'open' },
];

const SOUND: LifecycleDefinition = {
  name: 'small',
  initial: 'open',
  states: { open: 'ready', busy: 'executing', done: 'succeeded', broken: 'failed' },
  transitions: ROWS,
};

function faultsOf(more: Partial<LifecycleDefinition>): readonly string[] {
  try {
    defineLifecycle({ ...SOUND, ...more });
  } catch (error) {
    assert.ok(error instanceof LifecycleError);
    return error.problems;
  }
  return [];
}

function withStates(more: LifecycleDefinition['states']): LifecycleDefinition['states'] {
  return { ...SOUND.states, ...more };
}

function without(on: string): Rows {
  return ROWS.filter((row) => row.on !== on);
}

describe('a sound table', () => {
  test('becomes a lifecycle that nobody can change', () => {
    const small = defineLifecycle(SOUND);
    assert.deepEqual(
      [small.name, small.version, placeName(small.initial)],
      ['small', 1, 'open/ready'],
    );
    assert.equal(small.transitions.length, 5);
    assert.throws(() => (small.transitions as unknown[]).push({}), TypeError);
    assert.throws(() => Object.assign(small.places[0]!, { state: 'x' }), TypeError);
  });

  test('the five built in are sound', () => {
    for (const lifecycle of builtInLifecycles) assert.deepEqual(checkLifecycle(lifecycle), []);
  });

  test('a trigger implies the phase of a state that covers several', () => {
    const lifecycle = defineLifecycle({
      ...SOUND,
      states: withStates({ broken: ['failed', 'cancelled'] }),
      transitions: [...ROWS, { on: 'cancel', from: 'open', to: 'broken' }],
    });
    const ends = lifecycle.transitions.filter(({ to }) => to.state === 'broken');
    assert.deepEqual(
      ends.map(({ on, to }) => `${on} ${to.phase}`),
      ['fail failed', 'lose failed', 'cancel cancelled'],
    );
  });

  test('its moves are listed once each, with the epoch they open', () => {
    const moves = listedMoves(defineLifecycle(SOUND)).map((move) => {
      return `${placeName(move.from)} ${placeName(move.to)} ${move.opensEpoch}`;
    });
    assert.deepEqual(moves, [
      'open/ready busy/executing false',
      'busy/executing done/succeeded false',
      'busy/executing broken/failed false',
      'busy/executing open/ready true',
    ]);
  });
});

const CASES: Record<string, [more: Partial<LifecycleDefinition>, faults: string[]]> = {
  'an unknown state': [
    { transitions: [...ROWS, { on: 'reject', from: 'opne', to: 'broken' }] },
    ['"opne" names no state; known are open, busy, done, broken'],
  ],
  'a pair that is bound to nothing': [
    { transitions: [...ROWS, { on: 'reject', from: 'open/waiting', to: 'broken' }] },
    ['"open/waiting" is bound to nothing: open covers ready'],
  ],
  'a state whose phase is open': [
    {
      states: withStates({ busy: ['executing', 'waiting'] }),
      transitions: ROWS,
    },
    Array.from(
      { length: 5 },
      () => '"busy" covers several phases: write busy/executing or busy/waiting',
    ),
  ],
  'an unknown initial state': [
    { initial: 'new' },
    ['"new" names no state; known are open, busy, done, broken'],
  ],
  'an initial state that is neither held nor ready': [
    { initial: 'busy' },
    ['jobs begin in busy/executing, which is neither held nor ready'],
  ],
  'a name of other characters': [
    { name: 'My Life' },
    ['the name "My Life" must be lower-case letters, digits, "-" or "_"'],
  ],
  'a version that is no whole number from 1': [
    { version: 0 },
    ['the version 0 must be a whole number from 1'],
  ],
  'a state name of other characters': [
    { states: withStates({ 'a b': 'failed' }) },
    ['"a b" is not a valid state name', 'a b/failed can never be reached'],
  ],
  'a place that cannot be reached': [
    { states: withStates({ lost: 'cancelled' }) },
    ['lost/cancelled can never be reached'],
  ],
  'a dead end': [
    {
      states: withStates({ limbo: 'waiting' }),
      transitions: [...ROWS, { on: 'snooze', from: 'busy', to: 'limbo' }],
    },
    [
      'limbo/waiting is a dead end: no terminal state can be reached from it',
      'limbo/waiting waits for ever: it needs a requeue or a claim row',
    ],
  ],
  'a way out of a terminal state': [
    { transitions: [...ROWS, { on: 'requeue', from: 'done', to: 'open' }] },
    ['requeue: done/succeeded → open/ready leads out of a terminal state'],
  ],
  'a trigger from a phase it does not start from': [
    { transitions: [...ROWS, { on: 'reject', from: 'busy', to: 'broken' }] },
    ['reject: busy/executing → broken/failed: reject starts from ready only'],
  ],
  'a trigger to a phase it does not lead to': [
    { transitions: [...ROWS, { on: 'reject', from: 'open', to: 'done' }] },
    ['reject: open/ready → done/succeeded: reject leads to failed, dead only'],
  ],
  'a quiet row that changes the state': [
    {
      transitions: [
        ...without('release'),
        { on: 'release', from: 'busy', to: 'open', quiet: true },
      ],
    },
    ['release: busy/executing → open/ready is quiet but changes the state, which needs an event'],
  ],
  'a claim with two destinations': [
    {
      states: withStates({ other: 'executing' }),
      transitions: [
        ...ROWS,
        { on: 'claim', from: 'open', to: 'other' },
        { on: 'succeed', from: 'other', to: 'done' },
        { on: 'fail', from: 'other', to: 'broken' },
        { on: 'lose', from: 'other', to: 'broken' },
        { on: 'release', from: 'other', to: 'open' },
      ],
    },
    ['a claim of open/ready has 2 destinations'],
  ],
  'two rows that apply at once': [
    { transitions: [...ROWS, { on: 'fail', from: 'busy', to: 'open' }] },
    ['fail from busy/executing has two rows that apply at once'],
  ],
  'a row that never applies': [
    { transitions: [...ROWS, { on: 'fail', from: 'busy', to: 'open', when: 'mayRetry' }] },
    ['fail from busy/executing: rows after the unguarded one never apply'],
  ],
  'a job that cannot be submitted': [
    { initial: 'draft', states: withStates({ draft: 'held' }), transitions: ROWS },
    [
      'open/ready can never be reached',
      'busy/executing can never be reached',
      'done/succeeded can never be reached',
      'broken/failed can never be reached',
      'draft/held is a dead end: no terminal state can be reached from it',
      'draft/held cannot be submitted',
    ],
  ],
  'a leased job that cannot be started': [
    {
      states: withStates({ taken: 'leased' }),
      transitions: [
        { on: 'claim', from: 'open', to: 'taken' },
        { on: 'fail', from: 'taken', to: 'broken' },
        { on: 'lose', from: 'taken', to: 'broken' },
        { on: 'release', from: 'taken', to: 'open' },
      ],
    },
    [
      'busy/executing can never be reached',
      'done/succeeded can never be reached',
      'busy/executing has no fail row: its worker may fail, die or stop',
      'busy/executing has no lose row: its worker may fail, die or stop',
      'busy/executing has no release row: its worker may fail, die or stop',
      'busy/executing has no way to fail for good',
      'taken/leased cannot be started',
    ],
  ],
  'a ready job that cannot be claimed': [
    {
      states: withStates({ again: 'ready' }),
      transitions: [
        ...without('release'),
        { on: 'release', from: 'busy', to: 'again' },
        { on: 'reject', from: 'again', to: 'broken' },
      ],
    },
    ['again/ready cannot be claimed'],
  ],
  'an owned place without a loss': [
    { transitions: without('lose') },
    ['busy/executing has no lose row: its worker may fail, die or stop'],
  ],
  'an owned place without a release': [
    { transitions: without('release') },
    ['busy/executing has no release row: its worker may fail, die or stop'],
  ],
  'no way to fail for good': [
    {
      states: { open: 'ready', busy: 'executing', done: 'succeeded' },
      transitions: [
        ...without('fail').filter(({ on }) => on !== 'lose'),
        { on: 'fail', from: 'busy', to: 'open' },
        { on: 'lose', from: 'busy', to: 'open' },
      ],
    },
    ['busy/executing has no way to fail for good'],
  ],
};

describe('a faulty table is refused, each fault a sentence', () => {
  for (const [title, [more, faults]] of Object.entries(CASES)) {
    test(title, () => assert.deepEqual(faultsOf(more), faults));
  }

  test('the error lists them all and names the lifecycle', () => {
    const broken = { ...SOUND, version: 1.5, states: withStates({ lost: 'dead' }) };
    assert.throws(() => defineLifecycle(broken), {
      name: 'LifecycleError',
      lifecycle: 'small',
      message:
        'lifecycle "small" is not sound:\n' +
        '- the version 1.5 must be a whole number from 1\n' +
        '- lost/dead can never be reached',
    });
  });
});
