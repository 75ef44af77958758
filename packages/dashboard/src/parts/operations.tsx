import { signal, useSignal } from '@preact/signals';
import type { OperationJson } from '../../../pawl/src/contract/operation.ts';
import { get, send } from '../api.ts';
import { useLoaded } from '../load.ts';
import { now } from '../now.ts';
import type { Page } from '../page.ts';
import { Action } from './action.tsx';
import { Ago } from './ago.tsx';
import { say } from './notice.tsx';

const OPERATIONS_SHOWN = 10;
/** For so long those that have ended are shown: where they are a topic, and elsewhere. */
const SHOWN_MS = 3_600_000;
const SHOWN_BRIEFLY_MS = 120_000;

/** Counts those that this page has started: a list of them is then read at once. */
export const operationsStarted = signal(0);

const STATES: Readonly<Record<OperationJson['state'], string>> = {
  running: 'running',
  done: 'done',
  stopped: 'stopped',
  undoing: 'undoing',
  undone: 'undone',
};

function isOpen({ state }: OperationJson): boolean {
  return state === 'running' || state === 'undoing';
}

/** What it has done, in words. */
function doneText(operation: OperationJson): string {
  const { action, done, skipped, failed, undone, begun, state } = operation;
  const verb = action === 'rerun' ? 'run again' : 'cancelled or asked to stop';
  const parts = [`${done} ${verb}`];
  if (skipped > 0) parts.push(`${skipped} unchanged`);
  if (failed > 0) parts.push(`${failed} refused`);
  if (state === 'undone' || state === 'undoing') {
    parts.push(`${undone} of them cancelled`, `${begun} already started`);
  }
  return parts.join(', ');
}

function filterText({ filter }: OperationJson): string {
  return Object.entries(filter as Record<string, string>)
    .map(([name, value]) => `${name} ${value}`)
    .join(', ');
}

function Row({ operation, reload }: { operation: OperationJson; reload: () => void }) {
  const isBusy = useSignal(false);
  const ask = async (verb: 'stop' | 'undo'): Promise<void> => {
    isBusy.value = true;
    try {
      await send<OperationJson>('POST', `./v1/operations/${operation.id}/${verb}`, {});
      reload();
    } catch (fault) {
      say((fault as Error).message);
    }
    isBusy.value = false;
  };
  const canUndo = operation.action === 'rerun' && !['undoing', 'undone'].includes(operation.state);
  return (
    <tr>
      <td>
        {operation.action} <span class="quiet">{filterText(operation)}</span>
      </td>
      <td>{STATES[operation.state]}</td>
      <td class="grow">
        {doneText(operation)}
        {operation.lastError !== null && (
          <div class="quiet breaks">last error: {operation.lastError}</div>
        )}
      </td>
      <td>
        <Ago time={operation.createdAt} />
      </td>
      <td class="act">
        {operation.state === 'running' && (
          <Action needs="jobs:operate" isBusy={isBusy.value} onClick={() => void ask('stop')}>
            Stop
          </Action>
        )}
        {canUndo && operation.done > 0 && (
          <Action
            needs="jobs:operate"
            isBusy={isBusy.value}
            title="Cancels the new jobs that have not started"
            onClick={() => void ask('undo')}
          >
            Undo
          </Action>
        )}
      </td>
    </tr>
  );
}

/** What was asked of many jobs lately, and how far it is. Brief where it is not the topic. */
export function Operations({ isBrief = false }: { readonly isBrief?: boolean }) {
  const page = useLoaded(
    () => get<Page<OperationJson>>('./v1/operations', { limit: OPERATIONS_SHOWN }),
    [operationsStarted.value],
    { everyMs: 2_000 },
  );
  const shownMs = isBrief ? SHOWN_BRIEFLY_MS : SHOWN_MS;
  const shown = (page.value.value?.items ?? []).filter(
    (one) => isOpen(one) || now.value - Date.parse(one.updatedAt) < shownMs,
  );
  if (shown.length === 0) return null;
  return (
    <section class="card" aria-label="Operations">
      <h2>Bulk operations</h2>
      <div class="scroll">
        <table class="rows">
          <thead>
            <tr>
              <th>What</th>
              <th>State</th>
              <th>Jobs</th>
              <th>Started</th>
              <th>
                <span class="unseen">Actions</span>
              </th>
            </tr>
          </thead>
          <tbody>
            {shown.map((one) => (
              <Row key={one.id} operation={one} reload={page.reload} />
            ))}
          </tbody>
        </table>
      </div>
    </section>
  );
}
