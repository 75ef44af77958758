import { computed } from '@preact/signals';
import type { ComponentType } from 'preact';
import { hasProcesses, hasStudio } from './offers.ts';
import { settings } from './page-settings.ts';
import { DeadLettersPage } from './pages/dead-letters.tsx';
import { FailuresPage } from './pages/failures.tsx';
import { GuidesPage } from './pages/guides.tsx';
import { JobsPage } from './pages/jobs.tsx';
import { LifecyclesPage } from './pages/lifecycles.tsx';
import { OverviewPage } from './pages/overview.tsx';
import { PluginPage } from './pages/plugin.tsx';
import { ProcessesPage } from './pages/processes.tsx';
import { QueuesPage } from './pages/queues.tsx';
import { SchedulesPage } from './pages/schedules.tsx';
import { StudioPage } from './pages/studio.tsx';
import { WebhooksPage } from './pages/webhooks.tsx';
import { WorkersPage } from './pages/workers.tsx';

export interface Entry {
  readonly path: string;
  readonly title: string;
  /** After `g`; null: no key leads there. */
  readonly key: string | null;
  readonly page: ComponentType;
}

/** The pages, in the order of the menu. */
const ENTRIES: readonly Entry[] = [
  { path: '', title: 'Overview', key: 'o', page: OverviewPage },
  { path: 'jobs', title: 'Jobs', key: 'j', page: JobsPage },
  { path: 'failures', title: 'Failures', key: 'f', page: FailuresPage },
  { path: 'dead-letters', title: 'Dead letters', key: 'd', page: DeadLettersPage },
  { path: 'studio', title: 'Studio', key: 't', page: StudioPage },
  { path: 'queues', title: 'Queues and types', key: 'q', page: QueuesPage },
  { path: 'workers', title: 'Workers', key: 'w', page: WorkersPage },
  { path: 'schedules', title: 'Schedules', key: 's', page: SchedulesPage },
  { path: 'webhooks', title: 'Webhooks', key: 'h', page: WebhooksPage },
  { path: 'processes', title: 'Processes', key: 'p', page: ProcessesPage },
  { path: 'lifecycles', title: 'Lifecycles', key: 'l', page: LifecyclesPage },
  { path: 'guides', title: 'Guides', key: 'r', page: GuidesPage },
];

/** Those that this server has something to show on, and those of its plug-ins. */
export function entries(): readonly Entry[] {
  const own = ENTRIES.filter(({ path }) => {
    if (path === 'studio') return hasStudio();
    return path === 'processes' ? hasProcesses.value : true;
  });
  return [...own, ...pluginEntries.value];
}

/** Made once an answer, because each is a component of its own. */
const pluginEntries = computed<readonly Entry[]>(() =>
  (settings.value?.pages ?? []).map((page) => ({
    path: `plugins/${page.path}`,
    title: page.title,
    key: null,
    page: () => <PluginPage page={page} />,
  })),
);
