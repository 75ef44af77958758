import { useSignal } from '@preact/signals';
import type { JobJson } from '../../../../pawl/src/contract/job.ts';
import type { MessageJson } from '../../../../pawl/src/contract/flow.ts';
import type { MessageSchema } from '../../../../pawl/src/contract/message-form.ts';
import { getAll } from '../../api.ts';
import { useLoaded } from '../../load.ts';
import { Action } from '../../parts/action.tsx';
import { Ago } from '../../parts/ago.tsx';
import { MessageDialog } from './message-dialog.tsx';

interface Given {
  readonly job: JobJson;
  /** Messages that the job waits for now, with what they should look like. */
  readonly wanted: ReadonlyMap<string, MessageSchema | null>;
  readonly isOver: boolean;
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
    () => getAll<MessageJson, { isSealed: boolean }>(`./v1/jobs/${job.id}/messages`),
    [job.id, job.version],
  );
  const { items = [], isSealed = false } = mailbox.value.value ?? {};
  const isAsked = !isOver && wanted.size > 0;
  return (
    <>
      {items.length > 0 && <Messages items={items} />}
      {isAsked && isSealed && (
        <p class="quiet">
          The payloads of this job are encrypted: only a program that has the key can send it a
          message.
        </p>
      )}
      {isAsked && !isSealed && (
        <div class="row">
          {[...wanted.keys()].map((name) => (
            <Action key={name} needs="jobs:write" onClick={() => (asked.value = name)}>
              Send "{name}"…
            </Action>
          ))}
        </div>
      )}
      {asked.value !== null && (
        <MessageDialog
          job={job}
          name={asked.value}
          schema={wanted.get(asked.value) ?? null}
          onClose={() => (asked.value = null)}
        />
      )}
    </>
  );
}
