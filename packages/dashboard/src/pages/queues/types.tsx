import { useSignal } from '@preact/signals';
import { durationText } from '../../../../pawl/src/cli/terminal/words.ts';
import type { TypeJson } from '../../../../pawl/src/contract/type.ts';
import { Ago } from '../../parts/ago.tsx';
import { Empty } from '../../parts/notice.tsx';
import { TypeLink } from '../../parts/type-link.tsx';
import { hrefOf } from '../../route.ts';
import { Holders, type SharedLimit } from './holders.tsx';

interface Rate {
  readonly max: number;
  readonly perMs: number;
}

interface Limits {
  readonly activePerDocument?: boolean;
  readonly runningPerKey?: Partial<SharedLimit> | number | null;
  readonly rate?: { readonly perUser?: Rate | null; readonly perOrganisation?: Rate | null } | null;
  readonly adaptive?: unknown;
}

function rateText(rate: Rate | null | undefined, who: string): string[] {
  if (rate === null || rate === undefined) return [];
  return [`${rate.max} in ${durationText(rate.perMs)} ${who}`];
}

/** Maximum number of running jobs with one key; a plain number counts by document. */
function sharedLimitOf({ runningPerKey }: Limits): SharedLimit | undefined {
  if (runningPerKey === undefined || runningPerKey === null) return undefined;
  const given = typeof runningPerKey === 'number' ? { max: runningPerKey } : runningPerKey;
  return { key: 'documentId', max: 1, ...given };
}

/** Limits as sentences. */
export function limitsText(limits: Limits): string[] {
  const { activePerDocument, rate } = limits;
  const running = sharedLimitOf(limits);
  return [
    ...(activePerDocument === true ? ['one job at a time per document'] : []),
    ...(running === undefined ? [] : [`${running.max} at once per ${running.key}`]),
    ...rateText(rate?.perUser, 'per user'),
    ...rateText(rate?.perOrganisation, 'per organisation'),
  ];
}

export function Throttle({ throttle }: { readonly throttle: TypeJson['throttle'] }) {
  if (throttle === null) return <span class="quiet">open</span>;
  return (
    <span class="state waiting">
      {throttle.ceiling} of {throttle.baseline} at once, {Math.round(100 * throttle.failureRate)} %
      failing since <Ago time={throttle.since} />
    </span>
  );
}

function TypeRow({ type, open }: { readonly type: TypeJson; readonly open: () => void }) {
  const limits = limitsText(type.limits ?? {}).join(', ');
  return (
    <tr>
      <td class="long">
        <TypeLink type={type.type} />
      </td>
      <td>
        <a href={hrefOf(['lifecycles'])}>{type.lifecycle}</a>
      </td>
      <td class="number" data-label="attempts">
        {type.retry.maxAttempts}
      </td>
      <td class="number" data-label="lease">
        {durationText(type.lease.ttlMs)}
      </td>
      <td class="number" data-label="time-out">
        {type.timeoutMs === null ? '–' : durationText(type.timeoutMs)}
      </td>
      <td class="long">{type.stages.map(({ name }) => name).join(' → ')}</td>
      <td class="long">
        {limits}{' '}
        {limits !== '' && (
          <button class="plain" onClick={open} aria-label={`holders of ${type.type}`}>
            holders
          </button>
        )}
      </td>
      <td data-label="throttle">
        <Throttle throttle={type.throttle} />
      </td>
    </tr>
  );
}

/** The types of jobs, and what they live by. */
export function Types({ types }: { readonly types: readonly TypeJson[] }) {
  const opened = useSignal<TypeJson | null>(null);
  const shown = opened.value;
  return (
    <section class="card">
      <h2>Types</h2>
      {types.length === 0 && (
        <Empty title="No types registered">
          Workers register their types when they start; so does <code>PUT /v1/types/…</code>.
        </Empty>
      )}
      {types.length > 0 && (
        <div class="scroll" role="group" aria-label="Types" tabIndex={0}>
          <table class="rows">
            <thead>
              <tr>
                <th>Type</th>
                <th>Lifecycle</th>
                <th class="number">Attempts</th>
                <th class="number">Lease</th>
                <th class="number">Time-out</th>
                <th>Stages</th>
                <th>Limits</th>
                <th title="Fewer run at once because too many fail">Throttle</th>
              </tr>
            </thead>
            <tbody>
              {types.map((type) => (
                <TypeRow key={type.type} type={type} open={() => (opened.value = type)} />
              ))}
            </tbody>
          </table>
        </div>
      )}
      {shown !== null && (
        <Holders
          title={`In flight: ${shown.type}`}
          filter={{ type: shown.type }}
          limit={sharedLimitOf(shown.limits ?? {})}
          onClose={() => (opened.value = null)}
        />
      )}
    </section>
  );
}
