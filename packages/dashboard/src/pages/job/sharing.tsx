import { useSignal } from '@preact/signals';
import type { JobAccessJson } from '../../../../pawl/src/contract/job-access.ts';
import type { JobJson } from '../../../../pawl/src/contract/job.ts';
import { get, send } from '../../api.ts';
import type { Loaded } from '../../load.ts';
import { isOwn, me } from '../../me.ts';
import { Action } from '../../parts/action.tsx';
import { Field } from '../../parts/field.tsx';
import { FormDialog } from '../../parts/form-dialog.tsx';
import { type FormValues, partsIn } from '../../parts/form-values.ts';
import { say } from '../../parts/notice.tsx';

interface Given {
  readonly id: string;
  readonly access: JobAccessJson;
  readonly onDone: () => void;
  readonly onClose: () => void;
}

function ShareDialog({ id, access, onDone, onClose }: Given) {
  const share = async ({ groups }: FormValues): Promise<void> => {
    const body = { groups: partsIn(groups) };
    await send('PUT', `./v1/jobs/${id}/access`, body);
    say(body.groups.length === 0 ? 'The job is shared with nobody' : 'The job is shared');
    onDone();
  };
  return (
    <FormDialog
      title="Share this job"
      action="Share"
      onSend={share}
      onClose={onClose}
      intro={
        <p>
          Members of these groups can read the job, its events, result and artifacts. They cannot
          cancel or share it.
        </p>
      }
    >
      <Field title="Groups" hint="comma-separated; empty: nobody">
        <input name="groups" defaultValue={access.groups.join(', ')} autofocus />
      </Field>
    </FormDialog>
  );
}

/** Whether the platform knows its callers by name: else nothing is anybody's. */
function isShareable({ requestedBy }: JobJson): boolean {
  return requestedBy !== null && (me.value?.principal ?? null) !== null;
}

/** Of a job that cannot be shared there is nothing to ask for. */
export async function readAccess(job: JobJson): Promise<JobAccessJson> {
  if (!isShareable(job)) return { owner: null, groups: [] };
  return get<JobAccessJson>(`./v1/jobs/${job.id}/access`);
}

interface SharingGiven {
  readonly job: JobJson;
  readonly access: Loaded<JobAccessJson | null>;
}

/** With which groups a job is shared. */
export function JobSharing({ job, access }: SharingGiven) {
  const isAsking = useSignal(false);
  const found = access.value.value;
  if (!isShareable(job) || found === null) return null;
  const { groups } = found;
  return (
    <section class="card">
      <h2>Shared with</h2>
      <p class={groups.length === 0 ? 'quiet' : ''}>
        {groups.length === 0 ? 'Nobody' : groups.join(', ')}
      </p>
      {isOwn(job) ? (
        <div class="row">
          <Action needs="jobs:write" onClick={() => (isAsking.value = true)}>
            Share…
          </Action>
        </div>
      ) : (
        <p class="quiet">You can read it; only {job.requestedBy} can change it.</p>
      )}
      {isAsking.value && (
        <ShareDialog
          id={job.id}
          access={found}
          onDone={access.reload}
          onClose={() => (isAsking.value = false)}
        />
      )}
    </section>
  );
}
