import type { DeadLetterJson } from '../../../../pawl/src/contract/dead-letter.ts';
import { now } from '../../now.ts';
import { Action } from '../../parts/action.tsx';
import { Ago } from '../../parts/ago.tsx';
import { JobLink } from '../../parts/job-link.tsx';
import { TypeLink } from '../../parts/type-link.tsx';
import { Spark } from '../../parts/spark.tsx';
import { hrefOf } from '../../route.ts';
import { type Group, trendOf } from './groups.ts';

const SHOWN = 8;

interface Given {
  readonly group: Group;
  readonly onReplay: (letter: DeadLetterJson) => void;
  readonly onReplayAll: () => void;
}

function LetterRow({ letter, onReplay }: { letter: DeadLetterJson; onReplay: () => void }) {
  return (
    <tr>
      <td>
        <JobLink id={letter.jobId} />
        {letter.correlationId !== letter.jobId && (
          <>
            {' '}
            <a class="quiet" href={hrefOf(['jobs'], { correlationId: letter.correlationId })}>
              family
            </a>
          </>
        )}
      </td>
      <td class="wide-only">{letter.failureStage}</td>
      <td class="number wide-only">{letter.attempts}</td>
      <td>
        <Ago time={letter.createdAt} />
      </td>
      <td class="grow mono clip quiet wide-only">{JSON.stringify(letter.input)}</td>
      <td class="act">
        {letter.replayedAs === null ? (
          <Action needs="dlq:replay" onClick={onReplay}>
            Edit and replay…
          </Action>
        ) : (
          <>
            replayed as <JobLink id={letter.replayedAs} />
          </>
        )}
      </td>
    </tr>
  );
}

/** One fault and the jobs that it ended. */
export function GroupCard({ group, onReplay, onReplayAll }: Given) {
  const { letters, open } = group;
  const trend = trendOf(letters, now.value);
  return (
    <section
      class="card"
      aria-label={`${group.reasonCode} in ${group.type}: ${letters[0]!.lastError.message}`}
    >
      <div class="head">
        <div class="spread">
          <b class="bad">{group.reasonCode}</b> in <TypeLink type={group.type} /> ·{' '}
          {letters.length === 1 ? 'once' : `${letters.length} times`} ·{' '}
          <a href={hrefOf(['jobs'], { fingerprint: group.fingerprint })}>jobs</a>
          <div class="quiet breaks">{letters[0]!.lastError.message}</div>
        </div>
        <Spark values={trend} label="Dead letters per hour, last 24 hours" />
        {open > 0 && (
          <Action needs="dlq:replay" onClick={onReplayAll}>
            {open === 1 ? 'Replay it…' : `Replay all ${open}…`}
          </Action>
        )}
      </div>
      <div
        class="scroll"
        role="group"
        aria-label={`Jobs of ${group.reasonCode} in ${group.type}`}
        tabIndex={0}
      >
        <table class="rows">
          <thead>
            <tr>
              <th>Job</th>
              <th class="wide-only">Stage</th>
              <th class="number wide-only">Attempts</th>
              <th>Failed</th>
              <th class="wide-only">Input</th>
              <th>
                <span class="unseen">Actions</span>
              </th>
            </tr>
          </thead>
          <tbody>
            {letters.slice(0, SHOWN).map((letter) => (
              <LetterRow key={letter.id} letter={letter} onReplay={() => onReplay(letter)} />
            ))}
          </tbody>
        </table>
      </div>
      {letters.length > SHOWN && <span class="quiet">and {letters.length - SHOWN} older</span>}
    </section>
  );
}
