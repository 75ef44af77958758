import { useSignal } from '@preact/signals';
import { durationText } from '../../../../pawl/src/cli/terminal/words.ts';
import { send } from '../../api.ts';
import { Ago } from '../../parts/ago.tsx';
import { Field } from '../../parts/field.tsx';
import { JobLink } from '../../parts/job-link.tsx';
import { FormDialog } from '../../parts/form-dialog.tsx';
import { say } from '../../parts/notice.tsx';
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

/** So many of them are named before. */
const SAMPLE = 5;

function Sample({ group }: { readonly group: Group }) {
  const waiting = group.letters.filter(({ replayedAs }) => replayedAs === null);
  return (
    <>
      <ul class="lines">
        {waiting.slice(0, SAMPLE).map(({ id, jobId, createdAt }) => (
          <li key={id}>
            <JobLink id={jobId} />
            <span class="quiet">ended badly</span>
            <Ago time={createdAt} />
          </li>
        ))}
      </ul>
      {waiting.length > SAMPLE && <p class="quiet">and {waiting.length - SAMPLE} more</p>}
    </>
  );
}

/** Replays a whole group, spread over time. */
export function ReplayAll({ group, onClose, onDone }: Given) {
  const perSecond = useSignal(5);
  const replay = async (): Promise<void> => {
    const { type, reasonCode, fingerprint } = group;
    const body = { filter: { type, reasonCode, fingerprint }, perSecond: perSecond.value };
    const { results, hasMore } = await send<Answer>('POST', './v1/dlq/replay', body);
    const made = results.filter(({ status }) => status < 300).length;
    say(`${made} replayed${hasMore ? '; there are more' : ''}`);
    onDone();
  };
  return (
    <FormDialog
      title={`Replay all of ${group.type}`}
      action={`Replay ${group.open}`}
      onSend={replay}
      onClose={onClose}
    >
      <Field title="New jobs per second">
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
      <Sample group={group} />
    </FormDialog>
  );
}
