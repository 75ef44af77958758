import { useSignal } from '@preact/signals';
import type { QueueJson } from '../../../../pawl/src/contract/queue.ts';
import { send } from '../../api.ts';
import { Dialog } from '../../parts/dialog.tsx';
import { Field } from '../../parts/field.tsx';
import { valuesOf } from '../../parts/form-values.ts';
import { ProblemBox, say } from '../../parts/notice.tsx';

interface Given {
  readonly queue: QueueJson;
  readonly onClose: () => void;
  readonly onDone: () => void;
}

function countIn(text: string | undefined): number | null {
  return text === undefined || text === '' ? null : Number(text);
}

/** The bounds of a queue. */
export function QueueSettings({ queue, onClose, onDone }: Given) {
  const error = useSignal<Error | null>(null);
  const save = async (form: HTMLFormElement, close: () => void): Promise<void> => {
    const { concurrency, highWatermark, lowWatermark, reason } = valuesOf(form);
    try {
      await send('PATCH', `./v1/queues/${encodeURIComponent(queue.name)}`, {
        concurrency: countIn(concurrency),
        highWatermark: countIn(highWatermark),
        lowWatermark: countIn(lowWatermark),
        reason: reason === '' ? null : reason,
      });
      say(`${queue.name} is set`);
      close();
      onDone();
    } catch (fault) {
      error.value = fault as Error;
    }
  };
  return (
    <Dialog title={`Bounds of ${queue.name}`} onClose={onClose}>
      {(close) => (
        <form
          onSubmit={(event) => {
            event.preventDefault();
            void save(event.currentTarget, close);
          }}
        >
          {error.value !== null && <ProblemBox error={error.value} />}
          <Field title="Jobs in flight at once" hint="left empty: as many as workers take">
            <input name="concurrency" type="number" min="0" value={queue.concurrency ?? ''} />
          </Field>
          <Field title="New jobs are refused from" hint="so many ready jobs; left empty: never">
            <input name="highWatermark" type="number" min="0" value={queue.highWatermark ?? ''} />
          </Field>
          <Field title="and accepted again from">
            <input name="lowWatermark" type="number" min="0" value={queue.lowWatermark ?? ''} />
          </Field>
          <Field title="Why" hint="those who wait are told">
            <input name="reason" value={queue.reason ?? ''} />
          </Field>
          <div class="row">
            <button class="main">Save</button>
            <button type="button" onClick={close}>
              Leave it
            </button>
          </div>
        </form>
      )}
    </Dialog>
  );
}
