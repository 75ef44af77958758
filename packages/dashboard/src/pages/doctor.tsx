import type { DiagnosisJson } from '../../../pawl/src/contract/doctor.ts';
import { get } from '../api.ts';
import { isSettled, useLoaded } from '../load.ts';
import { Empty } from '../parts/notice.tsx';
import { Shown } from '../parts/shown.tsx';
import { Verify } from './doctor/verify.tsx';

type Finding = DiagnosisJson['findings'][number];

const ORDER: readonly string[] = ['fault', 'warning', 'notice', 'good'];

function rank({ level }: Finding): number {
  return ORDER.indexOf(level);
}

function FindingItem({ finding }: { readonly finding: Finding }) {
  return (
    <li class={finding.level}>
      <span class="level">{finding.level}</span>
      <div class="spread">
        <b class="breaks">{finding.message}</b>
        {finding.action !== null && <div class="quiet breaks">{finding.action}</div>}
      </div>
      <span class="quiet">{finding.check}</span>
    </li>
  );
}

/** What the platform finds wrong with itself, and what to do about it. */
export function DoctorPage() {
  const diagnosis = useLoaded(() => get<DiagnosisJson>('./v1/doctor'), [], { everyMs: 15_000 });
  return (
    <>
      <div class="head">
        <h1>Doctor</h1>
        <button onClick={diagnosis.reload}>Check again</button>
      </div>
      <Shown of={diagnosis}>
        {({ findings }) =>
          findings.length === 0 ? (
            <Empty title="No checks were run" />
          ) : (
            <ul class="problems">
              {findings
                .toSorted((one, other) => rank(one) - rank(other))
                .map((finding) => (
                  <FindingItem key={`${finding.check} ${finding.message}`} finding={finding} />
                ))}
            </ul>
          )
        }
      </Shown>
      {/* After the findings, which would push it down. */}
      {isSettled(diagnosis) && <Verify />}
    </>
  );
}
