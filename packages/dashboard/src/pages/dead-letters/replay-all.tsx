import { useSignal } from '@preact/signals';
import { durationText } from '../../../../pawl/src/cli/terminal/words.ts';
import { send } from '../../api.ts';
import { Dialog } from '../../parts/dialog.tsx';
import { Field } from '../../parts/field.tsx';
import { ProblemBox, say } from '../../parts/notice.tsx';
import type { Group } from './groups.ts';

interface Given {
  readonly group: Group;
  readonly onClose: () => void;
  readonly onDone: () => void;
}

interface Answer {
  readonly results: readonly { readonly status: number }[];
  readonly hasMore: boolean;
}

/** Replays a whole group, spread over time. */
export function ReplayAll({ group, onClose, onDone }: Given) {
  const perSecond = useSignal(5);
  const error = useSignal<Error | null>(null);
  const replay = async (close: () => void): Promise<void> => {
    const { type, reasonCode, fingerprint } = group;
    const body = { filter: { type, reasonCode, fingerprint }, perSecond: perSecond.value };
    try {
      const { results, hasMore } = await send<Answer>('POST', './v1/dlq/replay', body);
      const made = results.filter(({ status }) => status < 300).length;
      say(`${made} replayed${hasMore ? '; there are more' : ''}`);
      close();
      onDone();
    } catch (fault) {
      error.value = fault as Error;
    }
  };
  return (
    <Dialog title={`Replay all of ${group.type}`} onClose={onClose}>
      {(close) => (
        <form
          onSubmit={(event) => {
            event.preventDefault();
            void replay(close);
          }}
        >
          {error.value !== null && <ProblemBox error={error.value} />}
          <Field title="New jobs a second">
            <input
              type="number"
              min="0.1"
              step="any"
              required
              value={perSecond.value}
              onInput={(event) => (perSecond.value = event.currentTarget.valueAsNumber)}
            />
          </Field>
          <p>
            {group.open} new jobs with the inputs of the old ones
            {perSecond.value > 0 &&
              `, spread over ${durationText((1_000 * group.open) / perSecond.value)}`}
            .
          </p>
          <div class="row">
            <button class="main">Replay {group.open}</button>
            <button type="button" onClick={close}>
              Leave it
            </button>
          </div>
        </form>
      )}
    </Dialog>
  );
}
