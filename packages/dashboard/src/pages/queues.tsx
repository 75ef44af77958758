import { useSignal } from '@preact/signals';
import type { QueueJson } from '../../../pawl/src/contract/queue.ts';
import type { TypeJson } from '../../../pawl/src/contract/type.ts';
import { getAll } from '../api.ts';
import { useLoaded } from '../load.ts';
import { Action } from '../parts/action.tsx';
import { Ago } from '../parts/ago.tsx';
import { ExactTime } from '../parts/exact-time.tsx';
import { Empty } from '../parts/notice.tsx';
import { Shown } from '../parts/shown.tsx';
import { hrefOf } from '../route.ts';
import { Holders } from './queues/holders.tsx';
import { PauseQueue } from './queues/pause.tsx';
import { QueueSettings } from './queues/settings.tsx';
import { counted, standing } from './queues/standing.ts';
import { Types } from './queues/types.tsx';

interface Opened {
  readonly queue: QueueJson;
  readonly what: 'settings' | 'holders';
}

interface RowGiven {
  readonly queue: QueueJson;
  readonly open: (what: Opened['what']) => void;
  readonly onDone: () => void;
}

function QueueRow({ queue, open, onDone }: RowGiven) {
  const { phases } = queue;
  const inFlight = (phases['leased'] ?? 0) + (phases['executing'] ?? 0);
  const [word, level] = standing(queue);
  return (
    <tr>
      <td>
        <a class="breaks" href={hrefOf(['queues', queue.name])}>
          {queue.name}
        </a>
      </td>
      <td>
        <span class={`state ${level}`}>{word}</span>
        {queue.pausedUntil !== null && (
          <div class="quiet">
            until <ExactTime time={queue.pausedUntil} />
          </div>
        )}
        {queue.reason !== null && <div class="quiet">{queue.reason}</div>}
      </td>
      <td class="number" data-label="ready">
        {counted(queue, 'ready')}
        {queue.highWatermark !== null && <span class="quiet"> of {queue.highWatermark}</span>}
      </td>
      <td class="number" data-label="in flight">
        <button class="plain" onClick={() => open('holders')} title="Show these jobs">
          {inFlight}
        </button>
        <span class="quiet"> of {queue.concurrency ?? 'any'}</span>
      </td>
      <td class="number" data-label="waiting">
        {counted(queue, 'waiting')}
      </td>
      <td class="clock" data-label="oldest">
        <Ago time={queue.oldestReadyAt} />
      </td>
      <td>
        <div class="row tight act">
          <PauseQueue queue={queue} onDone={onDone} />
          <Action needs="queues:write" onClick={() => open('settings')}>
            Limits…
          </Action>
        </div>
      </td>
    </tr>
  );
}

function Queues({ queues, ...row }: { queues: readonly QueueJson[] } & RowsGiven) {
  if (queues.length === 0) {
    return <Empty title="No queues">Queues with open jobs or limits are shown.</Empty>;
  }
  return (
    <section class="card scroll" aria-label="Queues" tabIndex={0}>
      <table class="rows">
        <thead>
          <tr>
            <th>Queue</th>
            <th>State</th>
            <th class="number">Ready</th>
            <th class="number">In flight</th>
            <th class="number">Waiting</th>
            <th>Oldest</th>
            <th>
              <span class="unseen">Actions</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {queues.map((queue) => (
            <QueueRow
              key={queue.name}
              queue={queue}
              open={(what) => row.open({ queue, what })}
              onDone={row.onDone}
            />
          ))}
        </tbody>
      </table>
    </section>
  );
}

interface RowsGiven {
  readonly open: (opened: Opened) => void;
  readonly onDone: () => void;
}

/** Queues and what holds them, types and what they live by. */
export function QueuesPage() {
  const queues = useLoaded(() => getAll<QueueJson>('./v1/queues'), [], { everyMs: 2_000 });
  const types = useLoaded(() => getAll<TypeJson>('./v1/types'), [], { everyMs: 10_000 });
  const opened = useSignal<Opened | null>(null);
  const close = (): void => {
    opened.value = null;
  };
  const shown = opened.value;
  return (
    <>
      <h1>Queues and types</h1>
      <Shown of={queues}>
        {({ items }) => (
          <Queues queues={items} open={(one) => (opened.value = one)} onDone={queues.reload} />
        )}
      </Shown>
      <Shown of={types}>{({ items }) => <Types types={items} />}</Shown>
      {shown?.what === 'settings' && (
        <QueueSettings queue={shown.queue} onClose={close} onDone={queues.reload} />
      )}
      {shown?.what === 'holders' && (
        <Holders
          title={`In flight: ${shown.queue.name}`}
          filter={{ queue: shown.queue.name }}
          onClose={close}
        />
      )}
    </>
  );
}
