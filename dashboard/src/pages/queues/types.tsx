import { durationText } from '../../../../src/cli/terminal/words.ts';
import type { TypeJson } from '../../../../src/http/schema/type.ts';
import { Ago } from '../../parts/ago.tsx';
import { Empty } from '../../parts/notice.tsx';
import { hrefOf } from '../../route.ts';

interface Rate {
  readonly max: number;
  readonly perMs: number;
}

interface Limits {
  readonly activePerDocument?: boolean;
  readonly runningPerKey?: { readonly max: number; readonly key?: string } | number | null;
  readonly rate?: { readonly perUser?: Rate | null; readonly perOrganisation?: Rate | null } | null;
  readonly adaptive?: unknown;
}

function rateText(rate: Rate | null | undefined, who: string): string[] {
  if (rate === null || rate === undefined) return [];
  return [`${rate.max} in ${durationText(rate.perMs)} ${who}`];
}

/** Limits as sentences. */
function limitsText(limits: Limits): string[] {
  const { activePerDocument, runningPerKey, rate } = limits;
  const running =
    typeof runningPerKey === 'number' ? { max: runningPerKey } : (runningPerKey ?? undefined);
  return [
    ...(activePerDocument === true ? ['one at a time a document'] : []),
    ...(running === undefined ? [] : [`${running.max} at once by ${running.key ?? 'documentId'}`]),
    ...rateText(rate?.perUser, 'a user'),
    ...rateText(rate?.perOrganisation, 'an organisation'),
  ];
}

function Throttle({ throttle }: { readonly throttle: TypeJson['throttle'] }) {
  if (throttle === null) return <span class="quiet">open</span>;
  return (
    <span class="state waiting">
      {throttle.ceiling} of {throttle.baseline} at once, {Math.round(100 * throttle.failureRate)} %
      failing since <Ago time={throttle.since} />
    </span>
  );
}

function TypeRow({ type }: { readonly type: TypeJson }) {
  return (
    <tr>
      <td>
        <a href={hrefOf(['jobs'], { type: type.type })}>{type.type}</a>
      </td>
      <td>
        <a href={hrefOf(['lifecycles'])}>{type.lifecycle}</a>
      </td>
      <td class="number">{type.retry.maxAttempts}</td>
      <td class="number">{durationText(type.lease.ttlMs)}</td>
      <td class="number">{type.timeoutMs === null ? '–' : durationText(type.timeoutMs)}</td>
      <td class="grow">{type.stages.map(({ name }) => name).join(' → ')}</td>
      <td class="grow">{limitsText(type.limits ?? {}).join(', ')}</td>
      <td>
        <Throttle throttle={type.throttle} />
      </td>
    </tr>
  );
}

/** The types of jobs, and what they live by. */
export function Types({ types }: { readonly types: readonly TypeJson[] }) {
  return (
    <section class="card">
      <h2>Types</h2>
      {types.length === 0 && (
        <Empty title="No type is registered">
          Workers register what they can do; <code>PUT /v1/types/…</code> does too.
        </Empty>
      )}
      {types.length > 0 && (
        <div class="scroll">
          <table>
            <thead>
              <tr>
                <th>Type</th>
                <th>Lifecycle</th>
                <th class="number">Tries</th>
                <th class="number">Lease</th>
                <th class="number">Time-out</th>
                <th>Stages</th>
                <th>Limits</th>
                <th title="Fewer run at once while too many fail">Throttle</th>
              </tr>
            </thead>
            <tbody>
              {types.map((type) => (
                <TypeRow key={type.type} type={type} />
              ))}
            </tbody>
          </table>
        </div>
      )}
    </section>
  );
}
