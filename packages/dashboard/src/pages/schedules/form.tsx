import { useSignal } from '@preact/signals';
import type { ScheduleJson } from '../../../../pawl/src/contract/schedule.ts';
import { send } from '../../api.ts';
import { types } from '../../offers.ts';
import { Field } from '../../parts/field.tsx';
import { FormDialog } from '../../parts/form-dialog.tsx';
import type { FormValues } from '../../parts/form-values.ts';
import { say } from '../../parts/notice.tsx';
import { definitionIn, type Rule } from './rule.ts';

const HINTS = {
  cron: 'minute hour day month weekday, as in 0 6 * * 1-5',
  interval: 'seconds between two runs',
  once: 'a time, as in 2026-12-24T18:00Z',
};

const MISSED = {
  once: 'run once for all of them',
  all: 'run all of them',
  skip: 'skip them',
};

function whenOf(rule: Rule): string {
  if (rule.kind === 'cron') return rule.expression;
  return rule.kind === 'interval' ? String(rule.everyMs / 1_000) : rule.at;
}

function RuleFields({ rule }: { readonly rule: Rule | null }) {
  const kind = useSignal<Rule['kind']>(rule?.kind ?? 'cron');
  return (
    <>
      <Field title="Kind">
        <select
          name="kind"
          value={kind.value}
          onChange={(event) => (kind.value = event.currentTarget.value as Rule['kind'])}
        >
          <option value="cron">by the calendar (cron)</option>
          <option value="interval">at an interval</option>
          <option value="once">once</option>
        </select>
      </Field>
      <Field title="When" hint={HINTS[kind.value]}>
        <input
          key={kind.value}
          name="when"
          required
          defaultValue={rule?.kind === kind.value ? whenOf(rule) : ''}
        />
      </Field>
      {kind.value === 'cron' && (
        <Field title="Time zone" hint="as in Europe/Berlin; empty: UTC">
          <input
            name="timeZone"
            defaultValue={rule?.kind === 'cron' ? (rule.timeZone ?? '') : ''}
          />
        </Field>
      )}
    </>
  );
}

function JobFields({ schedule }: { readonly schedule: ScheduleJson | null }) {
  const { type = '', input = {} } = schedule?.job ?? {};
  const missed = schedule?.missed.policy ?? 'once';
  return (
    <>
      <Field title="Type of the job">
        <input name="type" required list="known-types" defaultValue={type} />
      </Field>
      <datalist id="known-types">
        {[...(types.value ?? [])].map((one) => (
          <option key={one} value={one} />
        ))}
      </datalist>
      <Field title="Input, as JSON">
        <textarea name="input" spellcheck={false} defaultValue={JSON.stringify(input, null, 2)} />
      </Field>
      <Field title="Missed runs">
        <select name="missed">
          {Object.entries(MISSED).map(([policy, title]) => (
            <option key={policy} value={policy} selected={policy === missed}>
              {title}
            </option>
          ))}
        </select>
      </Field>
    </>
  );
}

interface Given {
  /** Null for a new one. */
  readonly schedule: ScheduleJson | null;
  readonly onClose: () => void;
  readonly onDone: () => void;
}

/** Makes a schedule, or changes one. */
export function ScheduleForm({ schedule, onClose, onDone }: Given) {
  const save = async (values: FormValues): Promise<void> => {
    const body = definitionIn(values, schedule);
    const name = schedule?.name ?? values['name'] ?? '';
    if (schedule === null) await send('POST', './v1/schedules', { name, ...body });
    else await send('PUT', `./v1/schedules/${encodeURIComponent(name)}`, body);
    say(`${name} saved`);
    onDone();
  };
  return (
    <FormDialog
      title={schedule === null ? 'New schedule' : `Edit ${schedule.name}`}
      action="Save"
      onSend={save}
      onClose={onClose}
    >
      {schedule === null && (
        <Field title="Name">
          <input name="name" required autofocus />
        </Field>
      )}
      <RuleFields rule={schedule?.rule ?? null} />
      <JobFields schedule={schedule} />
    </FormDialog>
  );
}
