import { useSignal } from '@preact/signals';
import type { QueueJson } from '../../../../pawl/src/contract/queue.ts';
import { send } from '../../api.ts';
import { Action } from '../../parts/action.tsx';
import { Field } from '../../parts/field.tsx';
import { FormDialog } from '../../parts/form-dialog.tsx';
import type { FormValues } from '../../parts/form-values.ts';
import { act, say } from '../../parts/notice.tsx';
import { counted } from './standing.ts';

interface Given {
  readonly queue: QueueJson;
  readonly onDone: () => void;
}

/** Pauses a queue until a time or for good, with what that does to its jobs, or resumes it. */
export function PauseQueue({ queue, onDone }: Given) {
  const isAsking = useSignal(false);
  const path = `./v1/queues/${encodeURIComponent(queue.name)}`;
  const pause = async ({ until = '', reason = '' }: FormValues): Promise<void> => {
    const end = until === '' ? {} : { pausedUntil: new Date(until).toISOString() };
    const why = reason === '' ? {} : { reason };
    await send('PATCH', path, { isPaused: true, ...end, ...why });
    say(`${queue.name} paused`);
    onDone();
  };
  const resume = async (): Promise<void> => {
    const body = { isPaused: false, reason: null };
    await act(() => send('PATCH', path, body), `${queue.name} resumed`);
    onDone();
  };
  return (
    <>
      <Action
        needs="queues:write"
        onClick={() => (queue.isPaused ? void resume() : (isAsking.value = true))}
      >
        {queue.isPaused ? 'Resume' : 'Pause…'}
      </Action>
      {isAsking.value && (
        <FormDialog
          title={`Pause ${queue.name}?`}
          action="Pause queue"
          onSend={pause}
          onClose={() => (isAsking.value = false)}
          intro={
            <p>
              No job of a paused queue is claimed: {counted(queue, 'ready')} ready jobs wait,
              running jobs continue, new jobs are accepted.
            </p>
          }
        >
          <Field title="Until" hint="local time; empty: until resumed">
            <input name="until" type="datetime-local" />
          </Field>
          <Field title="Why" hint="shown wherever it is asked why a job waits">
            <input name="reason" autofocus />
          </Field>
        </FormDialog>
      )}
    </>
  );
}
