import { useSignal } from '@preact/signals';
import type { FailureCauseJson } from '../../../pawl/src/contract/failure.ts';
import { get, send } from '../api.ts';
import { useLoaded } from '../load.ts';
import type { Page } from '../page.ts';
import { Empty, say } from '../parts/notice.tsx';
import { OperationDialog } from '../parts/operation-dialog.tsx';
import { Operations } from '../parts/operations.tsx';
import { Shown } from '../parts/shown.tsx';
import { hrefOf, place } from '../route.ts';
import { CauseCard } from './failures/cause-card.tsx';

const SHOWN = 100;

interface Given {
  readonly causes: readonly FailureCauseJson[];
  readonly onDone: () => void;
}

/** Hides a cause, or shows it again. */
async function ignore({ fingerprint, isIgnored }: FailureCauseJson): Promise<void> {
  const path = `./v1/failures/${fingerprint}/ignore`;
  try {
    if (isIgnored === true) await send('DELETE', path);
    else await send('POST', path, {});
    say(isIgnored === true ? 'No longer ignored' : 'Ignored until it happens again');
  } catch (fault) {
    say((fault as Error).message);
  }
}

function Causes({ causes, onDone }: Given) {
  const chosen = useSignal<FailureCauseJson | null>(null);
  const { value: cause } = chosen;
  if (causes.length === 0) {
    return (
      <Empty title="No failures">
        Failed jobs are grouped here by cause, with and without a dead letter.
      </Empty>
    );
  }
  return (
    <>
      {causes.map((one) => (
        <CauseCard
          key={one.fingerprint}
          cause={one}
          onRerunAll={() => (chosen.value = one)}
          onIgnore={() => void ignore(one).then(onDone)}
        />
      ))}
      {cause !== null && (
        <OperationDialog
          title={`Run failed jobs of ${cause.type} again`}
          wish={{ action: 'rerun', filter: { type: cause.type, fingerprint: cause.fingerprint } }}
          onClose={() => (chosen.value = null)}
        />
      )}
    </>
  );
}

/** Every failed job, by cause: what broke, why it was not retried, and run again. */
export function FailuresPage() {
  const { query } = place.value;
  const [type, fingerprint] = [query.get('type') ?? '', query.get('fingerprint') ?? ''];
  const ignored = query.get('ignored') === 'show' ? 'show' : '';
  const page = useLoaded(
    () =>
      get<Page<FailureCauseJson>>('./v1/failures', { limit: SHOWN, type, fingerprint, ignored }),
    [type, fingerprint, ignored],
    { everyMs: 5_000 },
  );
  const isNarrow = type !== '' || fingerprint !== '';
  const other = { type, fingerprint, ignored: ignored === '' ? 'show' : '' };
  return (
    <>
      <div class="head">
        <h1>Failures</h1>
        <a href={hrefOf(['failures'], other)}>{ignored === '' ? 'Show ignored' : 'Hide ignored'}</a>
      </div>
      {isNarrow && (
        <p>
          Only {type === '' ? 'one cause' : <b>{type}</b>}
          {fingerprint !== '' && (
            <>
              , <code>{fingerprint}</code>
            </>
          )}
          . <a href={hrefOf(['failures'])}>Show all</a>
        </p>
      )}
      <Operations />
      <Shown of={page}>
        {({ items, nextCursor }) => (
          <>
            {nextCursor !== null && <p class="quiet">Only the latest {SHOWN} causes are shown.</p>}
            <Causes causes={items} onDone={page.reload} />
          </>
        )}
      </Shown>
    </>
  );
}
