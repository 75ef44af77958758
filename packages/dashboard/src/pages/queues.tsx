import { useSignal } from '@preact/signals';
import type { QueueJson } from '../../../pawl/src/contract/queue.ts';
import type { TypeJson } from '../../../pawl/src/contract/type.ts';
import { get, send } from '../api.ts';
import { useLoaded } from '../load.ts';
import type { Page } from '../page.ts';
import { Ago } from '../parts/ago.tsx';
import { act, Empty } from '../parts/notice.tsx';
import { Shown } from '../parts/shown.tsx';
import { hrefOf } from '../route.ts';
import { Holders } from './queues/holders.tsx';
import { QueueSettings } from './queues/settings.tsx';
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

function standing({ isPaused, isShedding }: QueueJson): readonly [string, string] {
  if (isPaused) return ['paused', 'waiting'];
  return isShedding ? ['refusing', 'failed'] : ['open', 'succeeded'];
}

/** With a plus where there may be more than were counted. */
function counted({ phases, atLeast }: QueueJson, phase: string): string {
  return `${phases[phase] ?? 0}${atLeast.includes(phase) ? '+' : ''}`;
}

function QueueRow({ queue, open, onDone }: RowGiven) {
  const toggle = async (): Promise<void> => {
    const body = { isPaused: !queue.isPaused };
    const path = `./v1/queues/${encodeURIComponent(queue.name)}`;
    const done = queue.isPaused ? `${queue.name} goes on` : `${queue.name} is paused`;
    await act(() => send('PATCH', path, body), done);
    onDone();
  };
  const { phases } = queue;
  const inFlight = (phases['leased'] ?? 0) + (phases['executing'] ?? 0);
  const [word, level] = standing(queue);
  return (
    <tr>
      <td>
        <a href={hrefOf(['jobs'], { queue: queue.name })}>{queue.name}</a>
      </td>
      <td>
        <span class={`state ${level}`}>{word}</span>
        {queue.reason !== null && <div class="quiet">{queue.reason}</div>}
      </td>
      <td class="number">
        {counted(queue, 'ready')}
        {queue.highWatermark !== null && <span class="quiet"> of {queue.highWatermark}</span>}
      </td>
      <td class="number">
        <button class="plain" onClick={() => open('holders')} title="Who has them">
          {inFlight}
        </button>
        <span class="quiet"> of {queue.concurrency ?? 'any'}</span>
      </td>
      <td class="number">{counted(queue, 'waiting')}</td>
      <td>
        <Ago time={queue.oldestReadyAt} />
      </td>
      <td>
        <div class="row tight act">
          <button onClick={() => void toggle()}>{queue.isPaused ? 'Resume' : 'Pause'}</button>
          <button onClick={() => open('settings')}>Bounds…</button>
        </div>
      </td>
    </tr>
  );
}

function Queues({ queues, ...row }: { queues: readonly QueueJson[] } & RowsGiven) {
  if (queues.length === 0) {
    return <Empty title="No queue holds a job">The first job makes one.</Empty>;
  }
  return (
    <section class="card scroll" aria-label="Queues">
      <table>
        <thead>
          <tr>
            <th>Queue</th>
            <th>State</th>
            <th class="number">Ready</th>
            <th class="number">In hand</th>
            <th class="number">Waiting</th>
            <th>Oldest</th>
            <th aria-label="actions" />
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
  const queues = useLoaded(() => get<Page<QueueJson>>('./v1/queues'), [], { everyMs: 2_000 });
  const types = useLoaded(() => get<Page<TypeJson>>('./v1/types'), [], { everyMs: 10_000 });
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
          title={`In hand of ${shown.queue.name}`}
          filter={{ queue: shown.queue.name }}
          onClose={close}
        />
      )}
    </>
  );
}
