import { useSignal } from '@preact/signals';
import type { OperationJson, OperationPreviewJson } from '../../../pawl/src/contract/operation.ts';
import { send } from '../api.ts';
import { useLoaded } from '../load.ts';
import { Dialog } from './dialog.tsx';
import { Field } from './field.tsx';
import { JobLink } from './job-link.tsx';
import { ProblemBox, say } from './notice.tsx';
import { operationsStarted } from './operations.tsx';
import { Shown } from './shown.tsx';
import { StateChip } from './state-chip.tsx';

export interface OperationWish {
  readonly action: OperationJson['action'];
  readonly filter: Readonly<Record<string, string>>;
}

interface Given {
  readonly wish: OperationWish;
  readonly title: string;
  readonly onClose: () => void;
}

/** Reruns are gentle to what has just broken under its load; a cancellation costs next to nothing. */
const PACES = { rerun: '10', cancel: '' } as const;

const VERBS = { rerun: 'run again', cancel: 'cancelled' } as const;

const NOTES = {
  rerun:
    'Each becomes a new job with the same input; the original stays as it is. Jobs that were run ' +
    'again before are skipped.',
  cancel:
    'Jobs that nobody works on end at once; running ones are asked to stop with their next ' +
    'heartbeat. This cannot be undone, but cancelled jobs can be run again.',
} as const;

function countText({ count, isMore }: OperationPreviewJson): string {
  const number = `${count.toLocaleString('en')}${isMore ? '+' : ''}`;
  return `${number} ${count === 1 ? 'job' : 'jobs'}`;
}

function durationOf(count: number, perSecond: number): string {
  const seconds = Math.ceil(count / perSecond);
  if (seconds < 90) return `${seconds} s`;
  return seconds < 5_400 ? `${Math.round(seconds / 60)} min` : `${Math.round(seconds / 3_600)} h`;
}

function Preview({ wish, found }: { wish: OperationWish; found: OperationPreviewJson }) {
  return (
    <>
      <p>
        <b>{countText(found)}</b> will be {VERBS[wish.action]}. {NOTES[wish.action]}
      </p>
      {found.sample.length > 0 && (
        <ul class="lines">
          {found.sample.map((job) => (
            <li key={job.id}>
              <JobLink id={job.id} />
              <span class="breaks">{job.type}</span>
              <StateChip job={job} />
            </li>
          ))}
        </ul>
      )}
    </>
  );
}

interface StartGiven {
  readonly wish: OperationWish;
  readonly found: OperationPreviewJson;
  readonly onStart: (perSecond: number | null) => Promise<void>;
  readonly onLeave: () => void;
}

function Start({ wish, found, onStart, onLeave }: StartGiven) {
  const isBusy = useSignal(false);
  const pace = useSignal<string>(PACES[wish.action]);
  const perSecond = Number(pace.value) > 0 ? Number(pace.value) : null;
  const start = async (): Promise<void> => {
    isBusy.value = true;
    await onStart(perSecond);
    isBusy.value = false;
  };
  return (
    <>
      <Field title="Jobs per second (empty: as fast as possible)">
        <input
          type="number"
          min="0.1"
          step="any"
          value={pace.value}
          onInput={(event) => (pace.value = event.currentTarget.value)}
        />
      </Field>
      {perSecond !== null && found.count > 0 && (
        <p class="quiet">About {durationOf(found.count, perSecond)}.</p>
      )}
      <div class="row">
        <button
          class={wish.action === 'cancel' ? 'danger' : 'main'}
          disabled={isBusy.value || found.count === 0}
          onClick={() => void start()}
        >
          {wish.action === 'rerun' ? `Run ${countText(found)} again` : `Cancel ${countText(found)}`}
        </button>
        <button onClick={onLeave}>{wish.action === 'cancel' ? 'Close' : 'Cancel'}</button>
      </div>
    </>
  );
}

/** Says what an operation will do before it is done; it then goes on by itself. */
export function OperationDialog({ wish, title, onClose }: Given) {
  const error = useSignal<Error | null>(null);
  const preview = useLoaded(
    () => send<OperationPreviewJson>('POST', './v1/operations', { ...wish, dryRun: true }),
    [],
  );
  const start = async (perSecond: number | null, close: () => void): Promise<void> => {
    const pace = perSecond === null ? {} : { perSecond };
    try {
      await send<OperationJson>('POST', './v1/operations', { ...wish, ...pace });
      say('Started. It continues even if you close this page.');
      close();
      operationsStarted.value += 1;
    } catch (fault) {
      error.value = fault as Error;
    }
  };
  return (
    <Dialog title={title} onClose={onClose}>
      {(close) => (
        <>
          {error.value !== null && <ProblemBox error={error.value} />}
          <Shown of={preview}>
            {(found) => (
              <>
                <Preview wish={wish} found={found} />
                <Start
                  wish={wish}
                  found={found}
                  onStart={(perSecond) => start(perSecond, close)}
                  onLeave={close}
                />
              </>
            )}
          </Shown>
        </>
      )}
    </Dialog>
  );
}
