import { useSignal } from '@preact/signals';
import type { ScheduleJson } from '../../../pawl/src/contract/schedule.ts';
import { getAll, send } from '../api.ts';
import { useLoaded } from '../load.ts';
import { now } from '../now.ts';
import { Action } from '../parts/action.tsx';
import { Ago } from '../parts/ago.tsx';
import { Confirm } from '../parts/confirm.tsx';
import { ExactTime } from '../parts/exact-time.tsx';
import { GuideLink } from '../parts/guide-link.tsx';
import { act, Empty, say } from '../parts/notice.tsx';
import { Shown } from '../parts/shown.tsx';
import { TypeLink } from '../parts/type-link.tsx';
import { place } from '../route.ts';
import { ScheduleForm } from './schedules/form.tsx';
import { ScheduleHistory } from './schedules/history.tsx';
import { ruleText } from './schedules/rule.ts';

interface Given {
  readonly schedule: ScheduleJson;
  readonly onChange: () => void;
  readonly onDone: () => void;
}

function Actions({ schedule, onChange, onDone }: Given) {
  const { name, isPaused } = schedule;
  const path = `./v1/schedules/${encodeURIComponent(name)}`;
  const ask = async (what: () => Promise<unknown>, done: string): Promise<void> => {
    await act(what, done);
    onDone();
  };
  const turn = isPaused ? 'resume' : 'pause';
  const isRemoving = useSignal(false);
  return (
    <div class="row">
      <Action
        needs="schedules:write"
        onClick={() => void ask(() => send('POST', `${path}/run`, {}), `${name} started`)}
      >
        Run now
      </Action>
      <Action
        needs="schedules:write"
        onClick={() => void ask(() => send('POST', `${path}/${turn}`, {}), `${name}: ${turn}d`)}
      >
        {isPaused ? 'Resume' : 'Pause'}
      </Action>
      <Action needs="schedules:write" onClick={onChange}>
        Edit…
      </Action>
      <Action needs="schedules:write" class="danger" onClick={() => (isRemoving.value = true)}>
        Remove…
      </Action>
      {isRemoving.value && (
        <Confirm
          title={`Remove ${name}?`}
          action="Remove schedule"
          isDanger
          onConfirm={async () => {
            await send('DELETE', path);
            say(`${name} removed`);
            onDone();
          }}
          onClose={() => (isRemoving.value = false)}
        >
          <p>The schedule and its history are removed. Its jobs stay.</p>
        </Confirm>
      )}
    </div>
  );
}

function ScheduleCard(given: Given) {
  const { schedule } = given;
  const { name, rule, job, isPaused, next } = schedule;
  const coming = next.filter((time) => Date.parse(time) > now.value);
  return (
    <section class="card" aria-label={name}>
      <div class="head">
        <div>
          <b class="breaks">{name}</b> <span class="quiet">makes</span> <TypeLink type={job.type} />{' '}
          <span class="quiet">·</span> <code>{ruleText(rule)}</code>
          {isPaused && <span class="state waiting">paused</span>}
        </div>
        <Actions {...given} />
      </div>
      <div class="grid halves">
        <div>
          <h2>Next</h2>
          {next.length === 0 && (
            <Empty title={isPaused ? 'None while paused' : 'No further runs'} />
          )}
          <ul class="lines">
            {coming.map((time) => (
              <li key={time}>
                <Ago time={time} />
                <ExactTime time={time} />
              </li>
            ))}
          </ul>
        </div>
        <div>
          <h2>Recent runs</h2>
          <ScheduleHistory schedule={schedule} />
        </div>
      </div>
    </section>
  );
}

/** Rules that make jobs in time: what they will do and what they did. */
export function SchedulesPage() {
  const page = useLoaded(() => getAll<ScheduleJson>('./v1/schedules'), [], {
    everyMs: 5_000,
  });
  const edited = useSignal<{ readonly schedule: ScheduleJson | null } | null>(
    place.peek().query.get('new') === null ? null : { schedule: null },
  );
  return (
    <>
      <div class="head">
        <h1>Schedules</h1>
        <Action
          needs="schedules:write"
          class="main"
          onClick={() => (edited.value = { schedule: null })}
        >
          New schedule…
        </Action>
      </div>
      <Shown of={page}>
        {({ items }) =>
          items.length === 0 ? (
            <Empty title="No schedules">
              A schedule creates a job at set times, exactly once each, however many servers run.
              <GuideLink to="recipes/schedules">How to create a schedule</GuideLink>
            </Empty>
          ) : (
            items.map((schedule) => (
              <ScheduleCard
                key={schedule.name}
                schedule={schedule}
                onChange={() => (edited.value = { schedule })}
                onDone={page.reload}
              />
            ))
          )
        }
      </Shown>
      {edited.value !== null && (
        <ScheduleForm
          schedule={edited.value.schedule}
          onClose={() => (edited.value = null)}
          onDone={page.reload}
        />
      )}
    </>
  );
}
