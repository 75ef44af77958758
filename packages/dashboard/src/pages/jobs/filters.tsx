import type { ComponentChildren } from 'preact';
import { types } from '../../offers.ts';
import { Field } from '../../parts/field.tsx';
import { go, hrefOf } from '../../route.ts';
import { SPANS, type View, viewHref, type ViewName, viewOf } from './view.ts';

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

const FIRST = {
  type: 'Type',
  text: 'Text: message, document, metadata, …',
  error: 'Error: code, class or text',
} as const;

const MORE = {
  state: 'State',
  queue: 'Queue',
  documentId: 'Document',
  correlationId: 'Correlation',
  parentJobId: 'Parent',
  fingerprint: 'Fingerprint',
} as const;

/** Nobody types these: other pages lead here with them. */
const LED_TO: ReadonlySet<string> = new Set(['parentJobId', 'fingerprint']);

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

function narrow(change: Partial<View>): void {
  go(viewHref({ ...viewOf(), ...change }));
}

function search(name: ViewName, value: string): void {
  // Who has an id wants that job.
  if (name === 'text' && UUID.test(value)) go(hrefOf(['jobs', value]));
  else narrow({ [name]: value });
}

interface BoxGiven {
  readonly name: ViewName;
  readonly title: string;
  readonly value: string;
}

function Box({ name, title, value }: BoxGiven) {
  return (
    <input
      class={title.includes(':') ? 'broad' : ''}
      aria-label={title.split(':')[0]}
      placeholder={title}
      list={name === 'type' ? 'types' : undefined}
      value={value}
      onChange={(event) => search(name, event.currentTarget.value.trim())}
    />
  );
}

/** As the field of a form wants it: without a zone, by the clock of this place. */
function localText(instant: string): string {
  if (instant === '') return '';
  const at = new Date(instant);
  return new Date(at.getTime() - at.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
}

function instantOf(local: string): string {
  const at = new Date(local);
  return local === '' || Number.isNaN(at.getTime()) ? '' : at.toISOString();
}

function TimeBox({ name, title, value }: BoxGiven) {
  return (
    <Field title={value === '' ? title : `${title} (${value.slice(0, 16).replace('T', ' ')} UTC)`}>
      <input
        type="datetime-local"
        value={localText(value)}
        onChange={(event) => narrow({ [name]: instantOf(event.currentTarget.value), within: '' })}
      />
    </Field>
  );
}

interface ChoiceGiven {
  readonly title: string;
  readonly value: string;
  readonly choose: (value: string) => void;
  readonly children: ComponentChildren;
}

function Choice({ title, value, choose, children }: ChoiceGiven) {
  return (
    <select
      aria-label={title}
      value={value}
      onChange={(event) => choose(event.currentTarget.value)}
    >
      {children}
    </select>
  );
}

function MoreFilters({ view }: { readonly view: View }) {
  const boxes = Object.entries(MORE) as [keyof typeof MORE, string][];
  const isUsed = [
    ...boxes.map(([name]) => name),
    'createdFrom' as const,
    'createdTo' as const,
  ].some((name) => view[name] !== '');
  return (
    <details class="more" open={isUsed}>
      <summary>More filters</summary>
      <div class="filters">
        {boxes
          .filter(([name]) => !LED_TO.has(name) || view[name] !== '')
          .map(([name, title]) => (
            <Box key={name} name={name} title={title} value={view[name]} />
          ))}
      </div>
      <div class="filters times">
        <TimeBox name="createdFrom" title="Created from" value={view.createdFrom} />
        <TimeBox name="createdTo" title="Created before" value={view.createdTo} />
      </div>
    </details>
  );
}

/** Narrows the list; what is asked for is in the address. */
export function Filters() {
  const view = viewOf();
  return (
    <div class="search" role="search">
      <div class="filters">
        <Choice title="Phase" value={view.phase} choose={(phase) => narrow({ phase })}>
          <option value="">any phase</option>
          {PHASES.map((phase) => (
            <option key={phase}>{phase}</option>
          ))}
        </Choice>
        <Choice
          title="Created"
          value={view.within}
          choose={(within) => narrow({ within, createdFrom: '', createdTo: '' })}
        >
          <option value="">any time</option>
          {Object.entries(SPANS).map(([name, { title }]) => (
            <option key={name} value={name}>
              {title}
            </option>
          ))}
        </Choice>
        {(Object.entries(FIRST) as [keyof typeof FIRST, string][]).map(([name, title]) => (
          <Box key={name} name={name} title={title} value={view[name]} />
        ))}
        <datalist id="types">
          {[...(types.value ?? [])].map((type) => (
            <option key={type} value={type} />
          ))}
        </datalist>
      </div>
      <MoreFilters view={view} />
    </div>
  );
}
