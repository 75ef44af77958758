import type { CellJson, PlacementJson } from '../../../../pawl/src/contract/cell.ts';
import { useSignal } from '@preact/signals';
import { get } from '../../api.ts';
import type { Page } from '../../page.ts';
import { useLoaded } from '../../load.ts';
import { Ago } from '../../parts/ago.tsx';
import { GuideLink } from '../../parts/guide-link.tsx';
import { Shown } from '../../parts/shown.tsx';

const TENANTS_SHOWN = 100;

function Tenants({ cell }: { readonly cell: string }) {
  const query = { cell, limit: TENANTS_SHOWN };
  const page = useLoaded(() => get<Page<PlacementJson>>('./v1/tenants', query), [cell]);
  return (
    <Shown of={page}>
      {({ items, nextCursor }) => (
        <ul class="lines">
          {items.map(({ tenant, since }) => (
            <li key={tenant}>
              <span class="breaks">{tenant}</span>
              <Ago time={since} />
            </li>
          ))}
          {nextCursor !== null && (
            <li class="quiet">
              The first {items.length} are shown; <code>pawl tenants ls --cell {cell}</code> lists
              all.
            </li>
          )}
        </ul>
      )}
    </Shown>
  );
}

function CellRow({ cell: { name, state, detail, tenants } }: { readonly cell: CellJson }) {
  const isOpen = useSignal(false);
  return (
    <tr>
      <td>
        <b>{name}</b>
      </td>
      <td data-label="tenants">
        {tenants === 0 ? (
          '0'
        ) : (
          <details class="more" onToggle={(event) => (isOpen.value = event.currentTarget.open)}>
            <summary>{tenants.toLocaleString('en')}</summary>
            {isOpen.value && <Tenants cell={name} />}
          </details>
        )}
      </td>
      <td class="grow" data-label="state">
        <span class={`state ${state === 'ok' ? 'succeeded' : 'failed'}`}>{state}</span>
        {detail !== null && <div class="quiet breaks">{detail}</div>}
      </td>
    </tr>
  );
}

/** The databases behind one platform, where there are several. */
export function Cells({ items }: { readonly items: readonly CellJson[] }) {
  return (
    <section class="card scroll" aria-label="Databases" tabIndex={0}>
      <h2>Databases</h2>
      <p class="quiet">
        Each tenant lives in one of them. If one cannot be reached, requests of its tenants are
        answered with 503; all others work.
      </p>
      <GuideLink to="operate/scaling">Several databases</GuideLink>
      <table class="rows">
        <thead>
          <tr>
            <th>Database</th>
            <th>Tenants</th>
            <th>State</th>
          </tr>
        </thead>
        <tbody>
          {items.map((cell) => (
            <CellRow key={cell.name} cell={cell} />
          ))}
        </tbody>
      </table>
    </section>
  );
}
