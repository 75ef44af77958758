import { useSignal } from '@preact/signals';
import { useEffect, useMemo } from 'preact/hooks';
import type { JobJson } from '../../../../pawl/src/contract/job.ts';
import { isForSomethingElse } from '../../keys.ts';
import { seesAll } from '../../me.ts';
import { copyText } from '../../parts/copy-button.tsx';
import { GuideLink } from '../../parts/guide-link.tsx';
import { Empty } from '../../parts/notice.tsx';
import { go, hrefOf } from '../../route.ts';
import { Bulk } from './bulk.tsx';
import { ColumnChoice } from './column-choice.tsx';
import { sorted } from './columns.tsx';
import { useHeldList } from './held-list.ts';
import { Rows } from './rows.tsx';
import { viewHref, viewOf } from './view.ts';

const NOWHERE = -1;

interface Worked {
  readonly jobs: readonly JobJson[];
  readonly choose: (id: string) => void;
  readonly letGo: () => void;
}

/** The list can be worked without a mouse: j, k, Enter, x, c for the id, Escape. */
function useKeys(at: { value: number }, { jobs, choose, letGo }: Worked): void {
  useEffect(() => {
    const onKey = (event: KeyboardEvent): void => {
      if (isForSomethingElse(event)) return;
      const job = jobs[at.value];
      if (event.key === 'j') at.value = Math.min(jobs.length - 1, at.value + 1);
      else if (event.key === 'k') at.value = Math.max(0, at.value - 1);
      else if (event.key === 'Escape') letGo();
      else if (event.key === 'Enter' && job !== undefined && event.target === document.body) {
        go(hrefOf(['jobs', job.id]));
      } else if (event.key === 'x' && job !== undefined && seesAll()) choose(job.id);
      else if (event.key === 'c' && job !== undefined) void copyText(job.id, 'Job id');
    };
    addEventListener('keydown', onKey);
    return () => removeEventListener('keydown', onKey);
  }, [jobs]);
  useEffect(() => {
    document.querySelector('tr[aria-current]')?.scrollIntoView({ block: 'nearest' });
  }, [at.value]);
}

interface Given {
  readonly jobs: readonly JobJson[];
  readonly onDone: () => void;
}

function Hints({ isSorted }: { readonly isSorted: boolean }) {
  return (
    <>
      <span class="quiet wide-only">
        <kbd>j</kbd> <kbd>k</kbd> move ·{' '}
        {seesAll() && (
          <>
            <kbd>x</kbd> select ·{' '}
          </>
        )}
        <kbd>Enter</kbd> open · <kbd>c</kbd> copy the id
      </span>
      {isSorted && <span class="quiet">sorted within this page</span>}
    </>
  );
}

/** Where a first job is begun, by who looks. */
function emptyHint() {
  if (seesAll()) return 'Enqueue one on the page of its type.';
  return 'Jobs that you start, and jobs that others share with you, appear here.';
}

/** The jobs of a page, to be chosen and worked on; they stay where they are while that is done. */
export function List({ jobs: fresh, onDone }: Given) {
  const chosen = useSignal<ReadonlySet<string>>(new Set());
  const at = useSignal(NOWHERE);
  const isPointedAt = useSignal(false);
  const isHeld = isPointedAt.value || at.value !== NOWHERE || chosen.value.size > 0;
  const { jobs: held, newer } = useHeldList(fresh, isHeld);
  const { sort, ...filter } = viewOf();
  const isFiltered = Object.values(filter).some((value) => value !== '');
  const jobs = useMemo(() => sorted(held, sort), [held, sort]);
  const letGo = (): void => {
    chosen.value = new Set();
    at.value = NOWHERE;
    isPointedAt.value = false;
  };
  const choose = (id: string): void => {
    const next = new Set(chosen.value);
    if (!next.delete(id)) next.add(id);
    chosen.value = next;
  };
  const chooseAll = (): void => {
    const isWhole = jobs.every(({ id }) => chosen.value.has(id));
    chosen.value = new Set(isWhole ? [] : jobs.map(({ id }) => id));
  };
  useKeys(at, { jobs, choose, letGo });
  if (jobs.length === 0) {
    return (
      <Empty title={isFiltered ? 'No matching jobs' : 'No jobs yet'}>
        {isFiltered ? <a href={viewHref({})}>Show all jobs</a> : emptyHint()}
        <GuideLink to="learn/first-job">A first job, step by step</GuideLink>
      </Empty>
    );
  }
  return (
    <>
      <div class="row bulk">
        <Bulk
          jobs={jobs.filter(({ id }) => chosen.value.has(id))}
          onDone={() => {
            chosen.value = new Set();
            onDone();
          }}
        />
        {newer > 0 && (
          <button onClick={letGo}>{newer < fresh.length ? newer : `${newer} or more`} newer</button>
        )}
        <Hints isSorted={sort !== ''} />
        <ColumnChoice />
      </div>
      <div
        onPointerEnter={(event) => (isPointedAt.value = event.pointerType === 'mouse')}
        onPointerLeave={() => (isPointedAt.value = false)}
      >
        <Rows
          jobs={jobs}
          chosen={chosen.value}
          at={at.value}
          choose={choose}
          chooseAll={chooseAll}
        />
      </div>
    </>
  );
}
