import { send } from '../../api.ts';
import { Field } from '../../parts/field.tsx';
import { FormDialog } from '../../parts/form-dialog.tsx';
import { type FormValues, partsIn, wordsIn } from '../../parts/form-values.ts';
import type { MadeKey } from './made.tsx';

const ROLES: readonly (readonly [role: string, may: string])[] = [
  ['viewer', 'reads everything'],
  ['user', 'enqueues jobs of published types, sees own and shared jobs'],
  ['producer', 'enqueues and cancels jobs'],
  ['worker', 'claims jobs and reports'],
  ['operator', 'runs the platform: queues, replays, schedules'],
  ['admin', 'full access'],
];

const DAY_MS = 86_400_000;

interface Given {
  readonly onMade: (made: MadeKey) => void;
  readonly onClose: () => void;
}

/** Makes a key. */
export function KeyForm({ onMade, onClose }: Given) {
  const make = async ({ name, role, days = '', queues, groups }: FormValues): Promise<void> => {
    const bound = wordsIn(queues);
    const members = partsIn(groups);
    const made = await send<MadeKey>('POST', './v1/keys', {
      name,
      roles: [role],
      ...(days === '' ? {} : { ttlMs: Number(days) * DAY_MS }),
      ...(bound === undefined ? {} : { queues: bound }),
      ...(members.length === 0 ? {} : { groups: members }),
    });
    onMade(made);
  };
  return (
    <FormDialog title="New key" action="Create key" onSend={make} onClose={onClose}>
      <Field title="Name" hint="who or what uses it">
        <input name="name" required maxLength={128} autofocus />
      </Field>
      <Field title="Role">
        <select name="role">
          {ROLES.map(([role, may]) => (
            <option key={role} value={role}>
              {role}: {may}
            </option>
          ))}
        </select>
      </Field>
      <Field title="Expires after" hint="days; empty: never">
        <input name="days" type="number" min="1" max="3660" defaultValue="90" />
      </Field>
      <Field title="Groups" hint="comma-separated; shared jobs and processes for groups are shown">
        <input name="groups" />
      </Field>
      <Field title="Claims from these queues only" hint="comma-separated; empty: all">
        <input name="queues" />
      </Field>
    </FormDialog>
  );
}
