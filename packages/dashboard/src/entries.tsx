import { computed } from '@preact/signals';
import type { ComponentType } from 'preact';
import type { Scope } from '../../pawl/src/contract/role.ts';
import { lazily } from './lazy.tsx';
import { isHome, may, seesAll } from './me.ts';
import { hasProcesses, hasStudio } from './offers.ts';
import { settings } from './page-settings.ts';
import { OverviewPage } from './pages/overview.tsx';
import { guideHref } from './parts/guide-link.tsx';
import type { IconName } from './parts/icon.tsx';
import { hrefOf, partsOf } from './route.ts';

export type Group = 'Work' | 'Capacity' | 'Platform' | 'Administration' | 'Plug-ins';

export interface Entry {
  readonly path: string;
  readonly title: string;
  readonly href: string;
  /** After `g`; null: no key leads there. */
  readonly key: string | null;
  readonly icon: IconName;
  readonly group: Group;
  /** Shown to who may read it only. */
  readonly needs?: Scope;
  /** Shown also to users, who see jobs of their own only. */
  readonly isForUsers?: boolean;
  /** About all tenants together. */
  readonly isForHome?: boolean;
  /** Null where the entry leads out of the dashboard. */
  readonly page: ComponentType | null;
}

const page = {
  jobs: lazily(async () => (await import('./pages/jobs.tsx')).JobsPage),
  failures: lazily(async () => (await import('./pages/failures.tsx')).FailuresPage),
  letters: lazily(async () => (await import('./pages/dead-letters.tsx')).DeadLettersPage),
  studio: lazily(async () => (await import('./pages/studio.tsx')).StudioPage),
  queues: lazily(async () => (await import('./pages/queues.tsx')).QueuesPage),
  workers: lazily(async () => (await import('./pages/workers.tsx')).WorkersPage),
  usage: lazily(async () => (await import('./pages/usage.tsx')).UsagePage),
  schedules: lazily(async () => (await import('./pages/schedules.tsx')).SchedulesPage),
  webhooks: lazily(async () => (await import('./pages/webhooks.tsx')).WebhooksPage),
  processes: lazily(async () => (await import('./pages/processes.tsx')).ProcessesPage),
  lifecycles: lazily(async () => (await import('./pages/lifecycles.tsx')).LifecyclesPage),
  audit: lazily(async () => (await import('./pages/audit.tsx')).AuditPage),
  keys: lazily(async () => (await import('./pages/keys.tsx')).KeysPage),
  doctor: lazily(async () => (await import('./pages/doctor.tsx')).DoctorPage),
  plugin: lazily(async () => (await import('./pages/plugin.tsx')).PluginPage),
};

/** The pages of one thing, by the list that it belongs to. */
const DETAILS: Readonly<Record<string, ComponentType<{ readonly id: string }>>> = {
  jobs: lazily(async () => (await import('./pages/job.tsx')).JobPage),
  workers: lazily(async () => (await import('./pages/worker.tsx')).WorkerPage),
  types: lazily(async () => (await import('./pages/type.tsx')).TypePage),
  queues: lazily(async () => (await import('./pages/queue.tsx')).QueuePage),
};

function entry(
  [path, title, key]: readonly [path: string, title: string, key: string | null],
  rest: Omit<Entry, 'path' | 'title' | 'key' | 'href'> & { readonly href?: string },
): Entry {
  return { path, title, key, href: hrefOf(partsOf(path)), ...rest };
}

const FOR_USERS = { isForUsers: true } as const;
const work = { group: 'Work' } as const;
const capacity = { group: 'Capacity' } as const;
const platform = { group: 'Platform' } as const;
const admin = { group: 'Administration' } as const;

/** The pages, in the order of the menu. The first is loaded with the frame. */
const ENTRIES: readonly Entry[] = [
  entry(['', 'Overview', 'o'], { ...work, icon: 'overview', page: OverviewPage }),
  entry(['jobs', 'Jobs', 'j'], { ...work, ...FOR_USERS, icon: 'jobs', page: page.jobs }),
  entry(['failures', 'Failures', 'f'], { ...work, icon: 'failures', page: page.failures }),
  entry(['dead-letters', 'Dead letters', 'd'], { ...work, icon: 'letters', page: page.letters }),
  entry(['schedules', 'Schedules', 's'], { ...work, icon: 'schedules', page: page.schedules }),
  entry(['studio', 'Studio', 't'], { ...work, ...FOR_USERS, icon: 'studio', page: page.studio }),
  entry(['queues', 'Queues and types', 'q'], { ...capacity, icon: 'queues', page: page.queues }),
  entry(['workers', 'Workers', 'w'], { ...capacity, icon: 'workers', page: page.workers }),
  entry(['usage', 'Usage', 'u'], { ...capacity, icon: 'usage', page: page.usage }),
  entry(['webhooks', 'Webhooks', 'h'], { ...platform, icon: 'webhooks', page: page.webhooks }),
  entry(['processes', 'Processes', 'p'], {
    ...platform,
    ...FOR_USERS,
    icon: 'processes',
    page: page.processes,
  }),
  entry(['lifecycles', 'Lifecycles', 'l'], {
    ...platform,
    ...FOR_USERS,
    icon: 'lifecycles',
    page: page.lifecycles,
  }),
  entry(['guides', 'Guides', 'r'], {
    ...platform,
    ...FOR_USERS,
    icon: 'guides',
    href: guideHref('index'),
    page: null,
  }),
  entry(['audit', 'Audit', 'a'], {
    ...admin,
    icon: 'audit',
    needs: 'audit:read',
    page: page.audit,
  }),
  entry(['keys', 'Keys', 'k'], { ...admin, icon: 'keys', needs: 'keys:admin', page: page.keys }),
  entry(['doctor', 'Doctor', 'c'], {
    ...admin,
    icon: 'doctor',
    needs: 'audit:read',
    isForHome: true,
    page: page.doctor,
  }),
];

/** Those that this server has something to show on, and those of its plug-ins. */
export function entries(): readonly Entry[] {
  const own = ENTRIES.filter(({ path, needs, isForHome = false, isForUsers = false }) => {
    if (!isForUsers && !seesAll()) return false;
    if (path === 'studio') return hasStudio();
    if (path === 'processes') return hasProcesses.value;
    return (needs === undefined || may(needs)) && (!isForHome || isHome());
  });
  return [...own, ...(seesAll() ? pluginEntries.value : [])];
}

/** Whether there is such a page, for whomever it is. */
export function isPage(path: string): boolean {
  return [...ENTRIES, ...pluginEntries.value].some((one) => one.path === path);
}

/** The page of one thing, where it is for who looks. */
export function detailOf(list: string): ComponentType<{ readonly id: string }> | undefined {
  return seesAll() || list === 'jobs' ? DETAILS[list] : undefined;
}

/** Made once an answer, because each is a component of its own. */
const pluginEntries = computed<readonly Entry[]>(() =>
  (settings.value?.pages ?? []).map((one) => ({
    path: `plugins/${one.path}`,
    title: one.title,
    href: hrefOf(['plugins', one.path]),
    key: null,
    icon: 'plugin' as const,
    group: 'Plug-ins' as const,
    page: () => <page.plugin page={one} />,
  })),
);
