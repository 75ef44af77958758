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
    say(`${queue.name} is set`);
    onDone();
  };
  return (
    <FormDialog title={`Bounds of ${queue.name}`} action="Save" onSend={save} onClose={onClose}>
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
    </FormDialog>
  );
}
