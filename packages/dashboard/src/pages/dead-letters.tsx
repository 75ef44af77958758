import { useSignal } from '@preact/signals';
import type { DeadLetterJson } from '../../../pawl/src/contract/dead-letter.ts';
import { get } from '../api.ts';
import { useLoaded } from '../load.ts';
import type { Page } from '../page.ts';
import { Empty } from '../parts/notice.tsx';
import { Shown } from '../parts/shown.tsx';
import { go, hrefOf, place } from '../route.ts';
import { GroupCard } from './dead-letters/group-card.tsx';
import { type Group, groupsOf } from './dead-letters/groups.ts';
import { ReplayAll } from './dead-letters/replay-all.tsx';
import { ReplayOne } from './dead-letters/replay-one.tsx';

const SHOWN = 500;

interface Given {
  readonly letters: readonly DeadLetterJson[];
  readonly onDone: () => void;
}

function Groups({ letters, onDone }: Given) {
  const letter = useSignal<DeadLetterJson | null>(null);
  const group = useSignal<Group | null>(null);
  if (letters.length === 0) {
    return (
      <Empty title="No dead letters">
        Failed jobs that are not retried are kept here with their inputs.
      </Empty>
    );
  }
  return (
    <>
      {groupsOf(letters).map((one) => (
        <GroupCard
          key={one.key}
          group={one}
          onReplay={(chosen) => (letter.value = chosen)}
          onReplayAll={() => (group.value = one)}
        />
      ))}
      {letter.value !== null && (
        <ReplayOne letter={letter.value} onClose={() => (letter.value = null)} />
      )}
      {group.value !== null && (
        <ReplayAll group={group.value} onClose={() => (group.value = null)} onDone={onDone} />
      )}
    </>
  );
}

/** What failed, by reason and error: the same fault is one card. */
export function DeadLettersPage() {
  const { query } = place.value;
  const isWhole = query.get('replayed') === 'too';
  const fingerprint = query.get('fingerprint') ?? '';
  const filter = isWhole ? { fingerprint } : { fingerprint, isReplayed: 'false' };
  const page = useLoaded(
    () => get<Page<DeadLetterJson>>('./v1/dlq', { limit: SHOWN, ...filter }),
    [isWhole, fingerprint],
    { everyMs: 5_000 },
  );
  return (
    <>
      <div class="head">
        <h1>Dead letters</h1>
        <label class="quiet">
          <input
            type="checkbox"
            checked={isWhole}
            onChange={() =>
              go(hrefOf(['dead-letters'], { fingerprint, replayed: isWhole ? '' : 'too' }))
            }
          />{' '}
          include replayed
        </label>
      </div>
      {fingerprint !== '' && (
        <p>
          Only one cause, <code>{fingerprint}</code>.{' '}
          <a href={hrefOf(['dead-letters'])}>Show all</a>
        </p>
      )}
      <Shown of={page}>
        {({ items, nextCursor }) => (
          <>
            {nextCursor !== null && <p class="quiet">Only the newest {SHOWN} are shown.</p>}
            <Groups letters={items} onDone={page.reload} />
          </>
        )}
      </Shown>
    </>
  );
}
