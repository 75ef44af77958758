import type { Page } from '../page.ts';
import type { QueueJson } from '../../../src/http/schema/queue.ts';
import type { TypeJson } from '../../../src/http/schema/type.ts';
import { durationText } from '../../../src/cli/terminal/words.ts';
import { get, send } from '../api.ts';
import { useLoaded } from '../load.ts';
import { Ago } from '../parts/ago.tsx';
import { act, Empty, ProblemBox } from '../parts/notice.tsx';
import { hrefOf } from '../route.ts';

function QueueRow({ queue, onDone }: { readonly queue: QueueJson; readonly onDone: () => void }) {
  const toggle = async (): Promise<void> => {
    const body = { isPaused: !queue.isPaused };
    const path = `./v1/queues/${encodeURIComponent(queue.name)}`;
    await act(() => send('PATCH', path, body), queue.isPaused ? 'Goes on' : 'Paused');
    onDone();
  };
  const { phases } = queue;
  return (
    <tr>
      <td>
        <a href={hrefOf(['jobs'], { queue: queue.name })}>{queue.name}</a>
      </td>
      <td>{queue.isPaused ? 'paused' : queue.isShedding ? 'refusing' : 'open'}</td>
      <td class="number">{queue.depth}</td>
      <td class="number">{(phases['leased'] ?? 0) + (phases['executing'] ?? 0)}</td>
      <td class="number">{phases['waiting'] ?? 0}</td>
      <td class="number">{queue.concurrency ?? 'any'}</td>
      <td>
        <Ago time={queue.oldestReadyAt} />
      </td>
      <td>
        <button onClick={() => void toggle()}>{queue.isPaused ? 'Resume' : 'Pause'}</button>
      </td>
    </tr>
  );
}

function Types({ types }: { readonly types: readonly TypeJson[] }) {
  return (
    <section class="card scroll">
      <h2>Types</h2>
      <table>
        <thead>
          <tr>
            <th>Type</th>
            <th>Lifecycle</th>
            <th class="number">Tries</th>
            <th class="number">Lease</th>
            <th>Stages</th>
            <th>Limits</th>
          </tr>
        </thead>
        <tbody>
          {types.map((type) => (
            <tr key={type.type}>
              <td>
                <a href={hrefOf(['jobs'], { type: type.type })}>{type.type}</a>
              </td>
              <td>{type.lifecycle}</td>
              <td class="number">{type.retry.maxAttempts}</td>
              <td class="number">{durationText(type.lease.ttlMs)}</td>
              <td class="grow">{type.stages.map(({ name }) => name).join(' → ')}</td>
              <td class="grow mono quiet">
                {type.limits === undefined ? '' : JSON.stringify(type.limits)}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

/** Queues and what holds them, types and what they live by. */
export function QueuesPage() {
  const queues = useLoaded(() => get<Page<QueueJson>>('./v1/queues'), [], { everyMs: 2_000 });
  const types = useLoaded(() => get<Page<TypeJson>>('./v1/types'), []);
  const items = queues.value.value?.items ?? [];
  return (
    <>
      <h1>Queues and types</h1>
      {queues.error.value !== null && <ProblemBox error={queues.error.value} />}
      {items.length === 0 && queues.value.value !== null ? (
        <Empty title="No queue holds a job">The first job makes one.</Empty>
      ) : (
        <section class="card scroll">
          <table>
            <thead>
              <tr>
                <th>Queue</th>
                <th>State</th>
                <th class="number">Ready</th>
                <th class="number">In hand</th>
                <th class="number">Waiting</th>
                <th class="number">At once</th>
                <th>Oldest</th>
                <th aria-label="actions" />
              </tr>
            </thead>
            <tbody>
              {items.map((queue) => (
                <QueueRow key={queue.name} queue={queue} onDone={queues.reload} />
              ))}
            </tbody>
          </table>
        </section>
      )}
      <Types types={types.value.value?.items ?? []} />
    </>
  );
}
