import type { ComponentType } from 'preact';
import { apiKey, isKeyWanted } from './api.ts';
import { isLineUp, watchEverything } from './activity.ts';
import { DeadLettersPage } from './pages/dead-letters.tsx';
import { JobPage } from './pages/job.tsx';
import { JobsPage } from './pages/jobs.tsx';
import { LifecyclesPage } from './pages/lifecycles.tsx';
import { OverviewPage } from './pages/overview.tsx';
import { QueuesPage } from './pages/queues.tsx';
import { KeyForm } from './parts/key-form.tsx';
import { Empty, Toast } from './parts/notice.tsx';
import { hrefOf, place } from './route.ts';

interface Entry {
  readonly path: string;
  readonly title: string;
  readonly page: ComponentType;
}

/** The pages, in the order of the menu. */
const ENTRIES: readonly Entry[] = [
  { path: '', title: 'Overview', page: OverviewPage },
  { path: 'jobs', title: 'Jobs', page: JobsPage },
  { path: 'dead-letters', title: 'Dead letters', page: DeadLettersPage },
  { path: 'queues', title: 'Queues and types', page: QueuesPage },
  { path: 'lifecycles', title: 'Lifecycles', page: LifecyclesPage },
];

function Side({ current }: { readonly current: string }) {
  return (
    <nav class="side" aria-label="Pages">
      <a class="brand" href={hrefOf([])}>
        <img src="./mark.svg" alt="" /> Pawl
      </a>
      {ENTRIES.map(({ path, title }) => (
        <a
          key={path}
          class="entry"
          href={hrefOf(path === '' ? [] : [path])}
          aria-current={path === current ? 'page' : undefined}
        >
          {title}
        </a>
      ))}
      <div class="foot">
        <span style={{ color: isLineUp.value ? 'var(--good)' : 'var(--warn)' }}>
          <span class="dot" />
          {isLineUp.value ? 'live' : 'connecting…'}
        </span>
        <div>
          <a href="./docs">API</a>
        </div>
      </div>
    </nav>
  );
}

function Page({ name, id }: { readonly name: string; readonly id: string | undefined }) {
  if (name === 'jobs' && id !== undefined) return <JobPage id={id} key={id} />;
  const entry = ENTRIES.find(({ path }) => path === name);
  if (entry === undefined) return <Empty title="There is no such page" />;
  const Found = entry.page;
  return <Found />;
}

/** The whole page: a menu, and what it leads to. */
export function App() {
  if (isKeyWanted.value) return <KeyForm />;
  watchEverything(apiKey.value);
  const [name = '', id] = place.value.parts;
  return (
    <div class="frame">
      <Side current={name} />
      <main>
        <Page name={name} id={id} />
      </main>
      <Toast />
    </div>
  );
}
