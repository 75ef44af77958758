import { get } from '../api.ts';
import { useLoaded } from '../load.ts';
import type { Page } from '../page.ts';
import { Ago } from '../parts/ago.tsx';
import { ExactTime } from '../parts/exact-time.tsx';
import { Empty } from '../parts/notice.tsx';
import { Shown } from '../parts/shown.tsx';
import { go, hrefOf, isJobId, place } from '../route.ts';

interface AuditEntry {
  readonly id: string;
  readonly at: string;
  readonly actor: string;
  readonly action: string;
  readonly subject: string;
  readonly details: Readonly<Record<string, unknown>> | null;
}

const SHOWN = 100;

/** `key.revoked` → `key revoked`. */
function actionText(action: string): string {
  return action.replaceAll(/[._]/g, ' ');
}

/** Details as words, without those that only machines use. */
function detailsText(details: AuditEntry['details']): string {
  return Object.entries(details ?? {})
    .filter(([name, value]) => name !== 'requestId' && value !== null)
    .map(([name, value]) => `${name}: ${valueText(value)}`)
    .join(', ');
}

function valueText(value: unknown): string {
  if (Array.isArray(value)) return value.map(valueText).join(' ');
  if (typeof value !== 'object' || value === null) return String(value);
  return Object.entries(value)
    .map(([name, own]) => `${name} ${valueText(own)}`)
    .join(' ');
}

/** Leads to what the entry is about, where there is a page of it. */
function Subject({ entry: { action, subject } }: { readonly entry: AuditEntry }) {
  const [kind] = action.split('.');
  if (kind === 'job' && isJobId(subject)) return <a href={hrefOf(['jobs', subject])}>{subject}</a>;
  if (kind === 'type') return <a href={hrefOf(['types', subject])}>{subject}</a>;
  if (kind === 'queue') return <a href={hrefOf(['queues', subject])}>{subject}</a>;
  if (kind === 'worker') return <a href={hrefOf(['workers', subject])}>{subject}</a>;
  return <>{subject}</>;
}

function Entries({ items }: { readonly items: readonly AuditEntry[] }) {
  return (
    <section class="card scroll" aria-label="Entries" tabIndex={0}>
      <table class="rows">
        <thead>
          <tr>
            <th>When</th>
            <th>Who</th>
            <th>Action</th>
            <th>Target</th>
            <th class="wide-only">Details</th>
          </tr>
        </thead>
        <tbody>
          {items.map((entry) => (
            <tr key={entry.id}>
              <td class="clock">
                <Ago time={entry.at} />
                <div class="wide-only">
                  <ExactTime time={entry.at} />
                </div>
              </td>
              <td class="long breaks">{entry.actor.replace(/^api:/, '')}</td>
              <td>{actionText(entry.action)}</td>
              <td class="long breaks mono">
                <Subject entry={entry} />
              </td>
              <td class="grow quiet wide-only">{detailsText(entry.details)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

function contains(entry: AuditEntry, words: string): boolean {
  const { actor, action, subject, details } = entry;
  const text = [actor, actionText(action), action, subject, detailsText(details)].join(' ');
  return text.toLowerCase().includes(words.toLowerCase());
}

/** What administrators and operators did, newest first. */
export function AuditPage() {
  const { query } = place.value;
  const [cursor, words] = [query.get('cursor') ?? '', query.get('words') ?? ''];
  const page = useLoaded(
    () => get<Page<AuditEntry>>('./v1/audit', { limit: SHOWN, cursor }),
    [cursor],
    cursor === '' ? { everyMs: 10_000 } : {},
  );
  return (
    <>
      <div class="head">
        <h1>Audit</h1>
        <div role="search">
          <input
            aria-label="Filter this page"
            placeholder="Who, action or target"
            value={words}
            onInput={(event) => go(hrefOf(['audit'], { cursor, words: event.currentTarget.value }))}
          />
        </div>
      </div>
      <Shown of={page}>
        {({ items, nextCursor }) => {
          const shown = items.filter((entry) => contains(entry, words));
          return (
            <>
              {items.length === 0 && (
                <Empty title="No audit entries yet">
                  Bulk cancellations, paused queues, changed types and new keys are recorded here.
                </Empty>
              )}
              {items.length > 0 && shown.length === 0 && (
                <Empty title="No matching entries on this page">
                  {nextCursor !== null && 'Try an older page.'}
                </Empty>
              )}
              {shown.length > 0 && <Entries items={shown} />}
              <nav class="row" aria-label="Pages of entries">
                {cursor !== '' && <a href={hrefOf(['audit'], { words })}>← newest</a>}
                {nextCursor !== null && (
                  <a href={hrefOf(['audit'], { words, cursor: nextCursor })}>older →</a>
                )}
              </nav>
            </>
          );
        }}
      </Shown>
    </>
  );
}
