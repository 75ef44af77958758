import { types } from '../../offers.ts';
import { go, hrefOf, place } from '../../route.ts';

const NAMES = {
  type: 'Type',
  state: 'State',
  queue: 'Queue',
  documentId: 'Document',
  correlationId: 'Correlation',
  parentJobId: 'Parent',
} as const;

const PHASES = [
  'held',
  'ready',
  'leased',
  'executing',
  'waiting',
  'succeeded',
  'failed',
  'cancelled',
  'dead',
];

/** The filter as the address has it: a view is saved by keeping its address. */
export function filterOf(): Record<string, string> {
  const { query } = place.value;
  return Object.fromEntries(
    [...Object.keys(NAMES), 'phase'].map((name) => [name, query.get(name) ?? '']),
  );
}

function narrow(name: string, value: string): void {
  go(hrefOf(['jobs'], { ...filterOf(), [name]: value }));
}

/** Narrows the list; what is asked for is in the address. */
export function Filters() {
  const filter = filterOf();
  // A job's page leads to its children; nobody types the id of a parent.
  const shown = Object.entries(NAMES).filter(
    ([name]) => name !== 'parentJobId' || filter[name] !== '',
  );
  const isFiltered = Object.values(filter).some((value) => value !== '');
  return (
    <div class="filters" role="search">
      <select
        aria-label="Phase"
        value={filter['phase']}
        onChange={(event) => narrow('phase', event.currentTarget.value)}
      >
        <option value="">any phase</option>
        {PHASES.map((phase) => (
          <option key={phase}>{phase}</option>
        ))}
      </select>
      {shown.map(([name, title]) => (
        <input
          key={name}
          aria-label={title}
          placeholder={title}
          list={name === 'type' ? 'types' : undefined}
          value={filter[name]}
          onChange={(event) => narrow(name, event.currentTarget.value.trim())}
        />
      ))}
      <datalist id="types">
        {[...(types.value ?? [])].map((type) => (
          <option key={type} value={type} />
        ))}
      </datalist>
      {isFiltered && <a href={hrefOf(['jobs'])}>all jobs</a>}
    </div>
  );
}
