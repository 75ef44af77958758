import { useSignal } from '@preact/signals';
import type { JobJson } from '../../../pawl/src/contract/job.ts';
import type { QueueJson } from '../../../pawl/src/contract/queue.ts';
import { get } from '../api.ts';
import { useLoaded } from '../load.ts';
import type { Page } from '../page.ts';
import { Action } from '../parts/action.tsx';
import { Ago } from '../parts/ago.tsx';
import { Crumbs } from '../parts/crumbs.tsx';
import { type Fact, Facts } from '../parts/facts.tsx';
import { JobsTable } from '../parts/jobs-table.tsx';
import { Empty } from '../parts/notice.tsx';
import { Shown } from '../parts/shown.tsx';
import { TypeLink } from '../parts/type-link.tsx';
import { hrefOf } from '../route.ts';
import { useTitle } from '../title.ts';
import { PauseQueue } from './queues/pause.tsx';
import { QueueSettings } from './queues/settings.tsx';
import { counted, standing } from './queues/standing.ts';

const SHOWN = 20;
const PHASES = ['ready', 'leased', 'executing', 'waiting', 'held'] as const;

function boundsOf(queue: QueueJson): (Fact | null)[] {
  const { concurrency, highWatermark, lowWatermark } = queue;
  return [
    ['In flight at once', concurrency === null ? 'no limit' : `${concurrency}`],
    highWatermark === null
      ? ['New jobs', 'never refused']
      : [
          'New jobs',
          `refused from ${highWatermark} ready jobs on, accepted again at ${lowWatermark ?? highWatermark}`,
        ],
    queue.reason === null ? null : ['Reason', queue.reason],
  ];
}

function Standing({ queue }: { readonly queue: QueueJson }) {
  return (
    <section class="card">
      <h2>Status</h2>
      <Facts
        facts={[
          ...PHASES.map((phase): Fact => [
            phase,
            <a href={hrefOf(['jobs'], { queue: queue.name, phase })}>{counted(queue, phase)}</a>,
          ]),
          ['Oldest ready', <Ago time={queue.oldestReadyAt} />],
          ...boundsOf(queue),
          [
            'Types',
            queue.types.length === 0
              ? 'none waiting'
              : queue.types.map((type, at) => [
                  at > 0 && ', ',
                  <TypeLink key={type} type={type} />,
                ]),
          ],
        ]}
      />
    </section>
  );
}

/** Jobs of a queue in one phase. */
function Part({ queue, phase, title }: { queue: string; phase: string; title: string }) {
  const page = useLoaded(
    () => get<Page<JobJson>>('./v1/jobs', { queue, phase, limit: SHOWN }),
    [queue, phase],
    { everyMs: 3_000 },
  );
  return (
    <section class="card">
      <div class="head">
        <h2>{title}</h2>
        <a href={hrefOf(['jobs'], { queue, phase })}>open as a list</a>
      </div>
      <Shown of={page}>
        {({ items }) =>
          items.length === 0 ? (
            <Empty title={`No ${phase === 'executing' ? 'running' : phase} jobs`} />
          ) : (
            <JobsTable
              jobs={items}
              label={title}
              since={(job) => (phase === 'executing' ? job.startedAt : job.createdAt)}
            />
          )
        }
      </Shown>
    </section>
  );
}

/** One queue: what is in it, who has it, and what bounds it. */
export function QueuePage({ id: name }: { readonly id: string }) {
  const path = `./v1/queues/${encodeURIComponent(name)}`;
  const queue = useLoaded(() => get<QueueJson>(path), [name], { everyMs: 2_000 });
  const isSetting = useSignal(false);
  useTitle(`Queue ${name}`);
  const found = queue.value.value;
  const [word, level] = found === null ? ['', ''] : standing(found);
  return (
    <>
      <Crumbs to={['queues']} title="Queues and types" />
      <div class="head">
        <h1 class="breaks">
          Queue {name} {word !== '' && <span class={`state ${level}`}>{word}</span>}
        </h1>
        {found !== null && (
          <div class="row">
            <PauseQueue queue={found} onDone={queue.reload} />
            <Action needs="queues:write" onClick={() => (isSetting.value = true)}>
              Limits…
            </Action>
          </div>
        )}
      </div>
      <Shown of={queue}>
        {(one) => (
          <>
            <Standing queue={one} />
            <Part queue={name} phase="executing" title="Running" />
            <Part queue={name} phase="ready" title="Ready, newest first" />
            <Part queue={name} phase="waiting" title="Waiting" />
          </>
        )}
      </Shown>
      {isSetting.value && found !== null && (
        <QueueSettings
          queue={found}
          onClose={() => (isSetting.value = false)}
          onDone={queue.reload}
        />
      )}
    </>
  );
}
