import { useSignal } from '@preact/signals';
import type { JobJson } from '../../../../pawl/src/contract/job.ts';
import type { MessageJson } from '../../../../pawl/src/contract/flow.ts';
import { get, send } from '../../api.ts';
import { useLoaded } from '../../load.ts';
import { Ago } from '../../parts/ago.tsx';
import { Field } from '../../parts/field.tsx';
import { FormDialog } from '../../parts/form-dialog.tsx';
import { type FormValues, jsonIn } from '../../parts/form-values.ts';
import { say } from '../../parts/notice.tsx';

interface Given {
  readonly job: JobJson;
  /** Messages that the job waits for now. */
  readonly wanted: readonly string[];
  readonly isOver: boolean;
}

interface FormGiven {
  readonly job: JobJson;
  readonly name: string;
  readonly onClose: () => void;
}

function SendDialog({ job, name, onClose }: FormGiven) {
  const submit = async ({ name: to = name, payload = 'null' }: FormValues): Promise<void> => {
    await send('POST', `./v1/jobs/${job.id}/messages`, { name: to, payload: jsonIn(payload) });
    say('Sent');
  };
  return (
    <FormDialog title="Send a message" action="Send" onSend={submit} onClose={onClose}>
      <Field title="Name">
        <input name="name" value={name} required />
      </Field>
      <Field title="Value" hint="JSON; who receives it checks it">
        <textarea name="payload" spellcheck={false} value="{}" />
      </Field>
    </FormDialog>
  );
}

/** Where a message stands. */
function standing({ takenBy, setAside }: MessageJson): string {
  if (setAside !== null) return `set aside: ${setAside}`;
  return takenBy === null ? 'not received yet' : `received by ${takenBy}`;
}

function Messages({ items }: { readonly items: readonly MessageJson[] }) {
  return (
    <ul class="lines">
      {items.map((message) => (
        <li key={message.id}>
          <b>{message.name}</b>
          <span class="breaks">
            <code>{JSON.stringify(message.payload)}</code>{' '}
            <span class="quiet">
              {standing(message)}, from {message.by}
            </span>
          </span>
          <Ago time={message.at} />
        </li>
      ))}
    </ul>
  );
}

/** The messages of a job, and a form for one more. */
export function Mailbox({ job, wanted, isOver }: Given) {
  const asked = useSignal<string | null>(null);
  const mailbox = useLoaded(
    () => get<{ items: MessageJson[] }>(`./v1/jobs/${job.id}/messages`),
    [job.id, job.version],
  );
  const items = mailbox.value.value?.items ?? [];
  return (
    <>
      {items.length > 0 && <Messages items={items} />}
      {!isOver && wanted.length > 0 && (
        <div class="row">
          {wanted.map((name) => (
            <button key={name} onClick={() => (asked.value = name)}>
              Send "{name}"…
            </button>
          ))}
        </div>
      )}
      {asked.value !== null && (
        <SendDialog job={job} name={asked.value} onClose={() => (asked.value = null)} />
      )}
    </>
  );
}
