import type { DeadLetterJson } from '../../../../pawl/src/contract/dead-letter.ts';
import { now } from '../../now.ts';
import { Ago } from '../../parts/ago.tsx';
import { JobLink } from '../../parts/job-link.tsx';
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
          <button onClick={onReplay}>Edit and replay…</button>
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
    <section class="card" aria-label={`${group.reasonCode} in ${group.type}`}>
      <div class="head">
        <div class="spread">
          <b class="bad">{group.reasonCode}</b> in {group.type} ·{' '}
          {letters.length === 1 ? 'once' : `${letters.length} times`} ·{' '}
          <a href={hrefOf(['jobs'], { fingerprint: group.fingerprint })}>its jobs</a>
          <div class="quiet breaks">{letters[0]!.lastError.message}</div>
        </div>
        <Spark values={trend} label="How many came in each of the last 24 hours" />
        {open > 0 && <button onClick={onReplayAll}>Replay all {open}…</button>}
      </div>
      <div class="scroll">
        <table>
          <thead>
            <tr>
              <th>Job</th>
              <th class="wide-only">Stage</th>
              <th class="number wide-only">Tries</th>
              <th>Since</th>
              <th class="wide-only">Input</th>
              <th aria-label="replay" />
            </tr>
          </thead>
          <tbody>
            {letters.slice(0, SHOWN).map((letter) => (
              <LetterRow key={letter.id} letter={letter} onReplay={() => onReplay(letter)} />
            ))}
          </tbody>
        </table>
      </div>
      {letters.length > SHOWN && <span class="quiet">and {letters.length - SHOWN} older ones</span>}
    </section>
  );
}
