import type { JobJson } from '../../../../pawl/src/contract/job.ts';
import { seesAll } from '../../me.ts';
import { copyText } from '../../parts/copy-button.tsx';
import { Icon } from '../../parts/icon.tsx';
import { JobLink } from '../../parts/job-link.tsx';
import { go, hrefOf } from '../../route.ts';
import { type Column, shownColumns } from './columns.tsx';
import { viewHref, viewOf } from './view.ts';

interface Given {
  readonly jobs: readonly JobJson[];
  readonly chosen: ReadonlySet<string>;
  readonly at: number;
  readonly choose: (id: string) => void;
  readonly chooseAll: () => void;
}

interface RowGiven {
  readonly job: JobJson;
  readonly columns: readonly Column[];
  readonly isAt: boolean;
  readonly isChosen: boolean;
  readonly choose: (id: string) => void;
}

/** A click anywhere opens the job, unless it was meant for something in the row, or marks text. */
function openBy(event: MouseEvent, id: string): void {
  const target = event.target as Element;
  if (target.closest('a, button, input, label') !== null) return;
  if (String(getSelection() ?? '') !== '') return;
  const href = hrefOf(['jobs', id]);
  if (event.ctrlKey || event.metaKey) open(href, '_blank');
  else go(href);
}

function Row({ job, columns, isAt, isChosen, choose }: RowGiven) {
  return (
    <tr
      class={isAt ? 'opens chosen' : 'opens'}
      aria-current={isAt ? 'true' : undefined}
      onClick={(event) => openBy(event, job.id)}
    >
      {seesAll() && (
        <td class="pick">
          <input
            type="checkbox"
            aria-label={`select ${job.id}`}
            checked={isChosen}
            onChange={() => choose(job.id)}
          />
        </td>
      )}
      <td>
        <JobLink id={job.id} />
        <button
          class="plain copy-id"
          tabIndex={-1}
          aria-label={`Copy the id ${job.id}`}
          title="Copy the id"
          onClick={() => void copyText(job.id, 'Job id')}
        >
          <Icon name="copy" />
        </button>
      </td>
      {columns.map(({ id, class: own = '', show }) => (
        <td key={id} class={own}>
          {show(job)}
        </td>
      ))}
    </tr>
  );
}

/** Sorts the page by a column: downwards, upwards, and as it was. */
function Head({ column }: { readonly column: Column }) {
  const view = viewOf();
  const isUp = view.sort === column.id;
  const isDown = view.sort === `-${column.id}`;
  const next = isDown ? column.id : isUp ? '' : `-${column.id}`;
  return (
    <th
      class={column.class?.replace(/grow|clip|quiet|long|clock/g, '') ?? ''}
      aria-sort={isUp ? 'ascending' : isDown ? 'descending' : undefined}
    >
      <button class="plain" onClick={() => go(viewHref({ ...view, sort: next }))}>
        {column.title}
        {(isUp || isDown) && <span aria-hidden="true">{isUp ? ' ↑' : ' ↓'}</span>}
      </button>
    </th>
  );
}

/** The jobs of a page. */
export function Rows({ jobs, chosen, at, choose, chooseAll }: Given) {
  const columns = shownColumns();
  return (
    <div class="card scroll" role="group" aria-label="Jobs" tabIndex={0}>
      <table class="rows">
        <thead>
          <tr>
            {seesAll() && (
              <th class="pick">
                <input
                  type="checkbox"
                  aria-label="select all on this page"
                  checked={jobs.every(({ id }) => chosen.has(id))}
                  onChange={chooseAll}
                />
              </th>
            )}
            <th>Job</th>
            {columns.map((column) => (
              <Head key={column.id} column={column} />
            ))}
          </tr>
        </thead>
        <tbody>
          {jobs.map((job, index) => (
            <Row
              key={job.id}
              job={job}
              columns={columns}
              isAt={index === at}
              isChosen={chosen.has(job.id)}
              choose={choose}
            />
          ))}
        </tbody>
      </table>
    </div>
  );
}
