import type { QueueJson } from '../../../../pawl/src/contract/queue.ts';
import { send } from '../../api.ts';
import { Field } from '../../parts/field.tsx';
import { FormDialog } from '../../parts/form-dialog.tsx';
import type { FormValues } from '../../parts/form-values.ts';
import { say } from '../../parts/notice.tsx';

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
  const save = async ({
    concurrency,
    highWatermark,
    lowWatermark,
    reason,
  }: FormValues): Promise<void> => {
    await send('PATCH', `./v1/queues/${encodeURIComponent(queue.name)}`, {
      concurrency: countIn(concurrency),
      highWatermark: countIn(highWatermark),
      lowWatermark: countIn(lowWatermark),
      reason: reason === '' ? null : reason,
    });
    say(`Limits of ${queue.name} saved`);
    onDone();
  };
  return (
    <FormDialog title={`Limits of ${queue.name}`} action="Save" onSend={save} onClose={onClose}>
      <Field title="Jobs in flight at once" hint="empty: no limit">
        <input name="concurrency" type="number" min="0" defaultValue={queue.concurrency ?? ''} />
      </Field>
      <Field title="Refuse new jobs from" hint="ready jobs; empty: never">
        <input
          name="highWatermark"
          type="number"
          min="0"
          defaultValue={queue.highWatermark ?? ''}
        />
      </Field>
      <Field title="Accept them again at">
        <input name="lowWatermark" type="number" min="0" defaultValue={queue.lowWatermark ?? ''} />
      </Field>
      <Field title="Why" hint="shown with the queue">
        <input name="reason" defaultValue={queue.reason ?? ''} />
      </Field>
    </FormDialog>
  );
}
