import { type Static, Type } from 'typebox';
import { Label, named } from './values.ts';

const WINDOW_MS_MAX = 30 * 86_400_000;

const Window = Type.Integer({ minimum: 1, maximum: WINDOW_MS_MAX });

/** At most one job at a time for a key, in one of three ways. */
export const UniqueSchema = Type.Union(
  [
    named('Throttle', { mode: Type.Literal('throttle'), key: Label, windowMs: Window }),
    named('Debounce', {
      mode: Type.Literal('debounce'),
      key: Label,
      windowMs: Window,
      maxWaitMs: Type.Optional(
        Type.Integer({
          minimum: 1,
          maximum: WINDOW_MS_MAX,
          description: 'Maximum total delay; default: ten windows.',
        }),
      ),
    }),
    named('Replace', { mode: Type.Literal('replace'), key: Label }),
  ],
  {
    $id: 'Unique',
    description:
      'At most one job at a time for (type, mode, key). `throttle`: one in each window. ' +
      '`debounce`: the job waits until a window passes without a request. `replace`: until the ' +
      'job starts, it gets the new input.',
    examples: [{ mode: 'debounce', key: 'document d-1', windowMs: 5_000 }],
  },
);

/** How a request was met: by a job of its own, or by one that was there. */
export const OUTCOMES = ['created', 'replayed', 'throttled', 'debounced', 'replaced'] as const;

export const OutcomeSchema = Type.Enum([...OUTCOMES], {
  description:
    'created: a new job. replayed: the job of the same idempotency key. throttled, debounced, ' +
    'replaced: by its `unique` key, the job that was there already.',
});

export type Outcome = Static<typeof OutcomeSchema>;
