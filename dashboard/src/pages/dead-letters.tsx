import type { Page } from '../page.ts';
import type { DeadLetterJson } from '../../../src/http/schema/dead-letter.ts';
import { get, send } from '../api.ts';
import { useLoaded } from '../load.ts';
import { Ago } from '../parts/ago.tsx';
import { JobLink } from '../parts/job-link.tsx';
import { act, Empty, ProblemBox } from '../parts/notice.tsx';

interface Group {
  readonly reason: string;
  readonly fingerprint: string;
  readonly letters: readonly DeadLetterJson[];
}

function groupsOf(letters: readonly DeadLetterJson[]): Group[] {
  const byKind = Map.groupBy(letters, ({ reasonCode, fingerprint, type }) =>
    [type, reasonCode, fingerprint].join(' '),
  );
  return [...byKind.values()]
    .map((group) => ({
      reason: group[0]!.reasonCode,
      fingerprint: group[0]!.fingerprint,
      letters: group,
    }))
    .toSorted((one, other) => other.letters.length - one.letters.length);
}

function GroupCard({ group, onDone }: { readonly group: Group; readonly onDone: () => void }) {
  const first = group.letters[0]!;
  const open = group.letters.filter(({ replayedAs }) => replayedAs === null);
  const replay = async (): Promise<void> => {
    const ids = open.map(({ id }) => id);
    const body = { ids, perSecond: 5 };
    await act(() => send('POST', './v1/dlq/replay', body), `Replaying ${ids.length}`);
    onDone();
  };
  return (
    <section class="card">
      <div class="head">
        <div>
          <b style={{ color: 'var(--bad)' }}>{group.reason}</b> in {first.type} ·{' '}
          {group.letters.length} times
          <div class="quiet">{first.lastError.message}</div>
        </div>
        {open.length > 0 && <button onClick={() => void replay()}>Replay {open.length}</button>}
      </div>
      <div class="scroll">
        <table>
          <thead>
            <tr>
              <th>Job</th>
              <th>Stage</th>
              <th class="number">Tries</th>
              <th>Since</th>
              <th>Replayed as</th>
            </tr>
          </thead>
          <tbody>
            {group.letters.slice(0, 10).map((letter) => (
              <tr key={letter.id}>
                <td>
                  <JobLink id={letter.jobId} />
                </td>
                <td>{letter.failureStage}</td>
                <td class="number">{letter.attempts}</td>
                <td>
                  <Ago time={letter.createdAt} />
                </td>
                <td>
                  {letter.replayedAs === null ? (
                    <span class="quiet">not yet</span>
                  ) : (
                    <JobLink id={letter.replayedAs} />
                  )}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </section>
  );
}

/** What ended badly, by reason and error: the same fault is one card. */
export function DeadLettersPage() {
  const page = useLoaded(() => get<Page<DeadLetterJson>>('./v1/dlq', { limit: 200 }), [], {
    everyMs: 5_000,
  });
  const letters = page.value.value?.items ?? [];
  return (
    <>
      <h1>Dead letters</h1>
      {page.error.value !== null && <ProblemBox error={page.error.value} />}
      {page.value.value !== null && letters.length === 0 && (
        <Empty title="No dead letters">Nothing needs you here.</Empty>
      )}
      {groupsOf(letters).map((group) => (
        <GroupCard key={group.fingerprint + group.reason} group={group} onDone={page.reload} />
      ))}
    </>
  );
}
