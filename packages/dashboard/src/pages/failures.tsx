import { useSignal } from '@preact/signals';
import type { FailureCauseJson } from '../../../pawl/src/contract/failure.ts';
import { get } from '../api.ts';
import { useLoaded } from '../load.ts';
import type { Page } from '../page.ts';
import { Empty } from '../parts/notice.tsx';
import { Shown } from '../parts/shown.tsx';
import { hrefOf, place } from '../route.ts';
import { CauseCard } from './failures/cause-card.tsx';
import { RerunAll } from './failures/rerun-all.tsx';

const SHOWN = 100;

interface Given {
  readonly causes: readonly FailureCauseJson[];
  readonly onDone: () => void;
}

function Causes({ causes, onDone }: Given) {
  const chosen = useSignal<FailureCauseJson | null>(null);
  if (causes.length === 0) {
    return (
      <Empty title="No failures">
        Jobs that end badly are listed here by cause, with and without a dead letter.
      </Empty>
    );
  }
  return (
    <>
      {causes.map((cause) => (
        <CauseCard
          key={cause.fingerprint}
          cause={cause}
          onRerunAll={() => (chosen.value = cause)}
        />
      ))}
      {chosen.value !== null && (
        <RerunAll cause={chosen.value} onClose={() => (chosen.value = null)} onDone={onDone} />
      )}
    </>
  );
}

/** Every job that ended badly, by cause: what broke, why it was not retried, and run again. */
export function FailuresPage() {
  const { query } = place.value;
  const [type, fingerprint] = [query.get('type') ?? '', query.get('fingerprint') ?? ''];
  const page = useLoaded(
    () => get<Page<FailureCauseJson>>('./v1/failures', { limit: SHOWN, type, fingerprint }),
    [type, fingerprint],
    { everyMs: 5_000 },
  );
  const isNarrow = type !== '' || fingerprint !== '';
  return (
    <>
      <h1>Failures</h1>
      {isNarrow && (
        <p>
          Those of {type === '' ? 'one cause' : <b>{type}</b>}
          {fingerprint !== '' && (
            <>
              , <code>{fingerprint}</code>
            </>
          )}
          . <a href={hrefOf(['failures'])}>All</a>
        </p>
      )}
      <Shown of={page}>
        {({ items, nextCursor }) => (
          <>
            {nextCursor !== null && <p class="quiet">The latest {SHOWN} causes are shown.</p>}
            <Causes causes={items} onDone={page.reload} />
          </>
        )}
      </Shown>
    </>
  );
}
