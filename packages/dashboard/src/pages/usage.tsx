import type { CellJson } from '../../../pawl/src/contract/cell.ts';
import type { UsageJson } from '../../../pawl/src/contract/me.ts';
import { get, getAll } from '../api.ts';
import { useLoaded } from '../load.ts';
import { isHome } from '../me.ts';
import { Ago } from '../parts/ago.tsx';
import { Empty } from '../parts/notice.tsx';
import { Shown } from '../parts/shown.tsx';
import { TypeLink } from '../parts/type-link.tsx';
import { Cells } from './usage/cells.tsx';

const TYPES_SHOWN = 3;

function count({ phases, atLeast }: UsageJson, phase: string): string {
  return `${(phases[phase] ?? 0).toLocaleString('en')}${atLeast.includes(phase) ? '+' : ''}`;
}

function Share({ usage, total }: { readonly usage: UsageJson; readonly total: number }) {
  const share = total === 0 ? 0 : (100 * usage.inFlight) / total;
  return (
    <div class="budget">
      <div
        class="bar executing"
        role="meter"
        aria-label={`Share of ${usage.tenant} in what is in flight`}
        aria-valuenow={Math.round(share)}
        aria-valuemin={0}
        aria-valuemax={100}
      >
        <i style={{ width: `${share}%` }} />
      </div>
      <span>
        {usage.inFlight.toLocaleString('en')} <span class="quiet">({Math.round(share)} %)</span>
      </span>
    </div>
  );
}

function Rows({ items }: { readonly items: readonly UsageJson[] }) {
  const total = items.reduce((sum, { inFlight }) => sum + inFlight, 0);
  return (
    <section class="card scroll" aria-label="Usage" tabIndex={0}>
      <table class="rows">
        <thead>
          <tr>
            <th>Tenant</th>
            <th>In flight</th>
            <th class="number">Ready</th>
            <th class="number">Waiting</th>
            <th>Oldest ready</th>
            <th>Top types</th>
          </tr>
        </thead>
        <tbody>
          {items.map((usage) => (
            <tr key={usage.tenant}>
              <td class="breaks">
                <b>{usage.tenant}</b>
              </td>
              <td data-label="in flight">
                <Share usage={usage} total={total} />
              </td>
              <td class="number" data-label="ready">
                {count(usage, 'ready')}
              </td>
              <td class="number" data-label="waiting">
                {count(usage, 'waiting')}
              </td>
              <td class="clock" data-label="oldest">
                <Ago time={usage.oldestReadyAt} />
              </td>
              <td class="grow">
                {usage.types
                  .slice(0, TYPES_SHOWN)
                  .map(({ type, count: own, isAtLeast }, index) => [
                    index > 0 && ', ',
                    <TypeLink key={type} type={type} />,
                    ` ${own.toLocaleString('en')}${isAtLeast ? '+' : ''}`,
                  ])}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

/** Which tenant has how much of the platform at this moment. */
export function UsagePage() {
  const page = useLoaded(() => getAll<UsageJson>('./v1/usage'), [], { everyMs: 3_000 });
  const cells = useLoaded(readCells, [isHome()], { everyMs: 5_000 });
  return (
    <>
      <div class="head">
        <h1>Usage</h1>
        <span class="quiet">
          unfinished jobs of {isHome() ? 'all tenants, busiest first' : 'your tenant'}
        </span>
      </div>
      <Shown of={page}>
        {({ items }) =>
          items.length === 0 ? (
            <Empty title="No unfinished jobs">Tenants with unfinished jobs are listed here.</Empty>
          ) : (
            <Rows items={items} />
          )
        }
      </Shown>
      {(cells.value.value ?? []).length > 0 && <Cells items={cells.value.value!} />}
    </>
  );
}

/** Empty where there is one database, and for those whom others' tenants do not concern. */
async function readCells(): Promise<readonly CellJson[]> {
  if (!isHome()) return [];
  return (await get<{ items: readonly CellJson[] }>('./v1/cells')).items;
}
