// A lifecycle of a user, with more of everything than the built-in ones have.
import { defineLifecycle } from 'pawl/internal/core/define-lifecycle';
import type { Lifecycle } from 'pawl/internal/core/lifecycle';

const OWNED = ['taken', 'busy', 'testing'];

export const crowded: Lifecycle = defineLifecycle({
  name: 'crowded',
  version: 3,
  initial: 'draft',
  states: {
    draft: 'held',
    open: 'ready',
    hot: 'ready',
    taken: 'leased',
    busy: 'executing',
    testing: 'executing',
    sleeping: 'waiting',
    'cooling-down': 'waiting',
    done: 'succeeded',
    end: 'failed',
    gone: 'cancelled',
    dead: 'dead',
  },
  transitions: [
    { on: 'submit', from: 'draft', to: 'open' },
    { on: 'claim', from: 'open', to: 'taken' },
    { on: 'claim', from: 'hot', to: 'testing' },
    { on: 'claim', from: 'cooling-down', to: 'testing' },
    { on: 'start', from: 'taken', to: 'busy' },
    { on: 'succeed', from: ['busy', 'testing'], to: 'done' },
    { on: 'fail', from: 'busy', to: 'sleeping', when: 'mayRetry' },
    { on: 'fail', from: OWNED, to: 'end' },
    { on: 'lose', from: ['taken', 'busy'], to: 'open', when: 'mayRetry' },
    { on: 'lose', from: OWNED, to: 'dead' },
    { on: 'release', from: OWNED, to: 'hot' },
    { on: 'snooze', from: 'testing', to: 'cooling-down' },
    { on: 'requeue', from: 'sleeping', to: 'open' },
    { on: 'cancel', from: ['draft', 'open', 'hot', ...OWNED, 'sleeping'], to: 'gone' },
  ],
});
