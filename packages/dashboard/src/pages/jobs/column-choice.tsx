import { useSignal } from '@preact/signals';
import { COLUMNS, shownColumns, switchColumn } from './columns.tsx';

function Choice() {
  const shown = new Set(shownColumns().map(({ id }) => id));
  return (
    <div class="row">
      {COLUMNS.map(({ id, title }) => (
        <label key={id}>
          <input type="checkbox" checked={shown.has(id)} onChange={() => switchColumn(id)} />{' '}
          {title}
        </label>
      ))}
    </div>
  );
}

/** Which columns the list has; this browser keeps it. */
export function ColumnChoice() {
  const isOpen = useSignal(false);
  return (
    <details
      class="more columns no-print"
      onToggle={(event) => (isOpen.value = event.currentTarget.open)}
    >
      <summary>Columns</summary>
      {isOpen.value && <Choice />}
    </details>
  );
}
