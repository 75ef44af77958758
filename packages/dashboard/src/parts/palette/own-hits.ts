import { apiKey, forgetKey } from '../../api.ts';
import { isCompact, switchDensity } from '../../density.ts';
import type { Entry } from '../../entries.tsx';
import { seesAll } from '../../me.ts';
import { types } from '../../offers.ts';
import { go, hrefOf } from '../../route.ts';
import { isUtc, switchClock } from '../clock.ts';
import { copyText } from '../copy-button.tsx';
import type { IconName } from '../icon.tsx';

/** Something that can be chosen. */
export interface Hit {
  readonly key: string;
  readonly icon: IconName;
  readonly title: string;
  /** What it is, beside its name. */
  readonly note?: string;
  readonly state?: { readonly state: string; readonly phase: string };
  readonly run: () => void;
}

export interface HitGroup {
  readonly title: string;
  readonly hits: readonly Hit[];
}

function to(parts: readonly string[], query: Record<string, string> = {}): () => void {
  return () => go(hrefOf(parts, query));
}

function scheduleHit(): Hit {
  return { key: 'schedule', icon: 'schedules', title: 'New schedule…', run: newSchedule };
}

function actions(): readonly Hit[] {
  const link = (): void => void copyText(location.href, 'Link to this page');
  return [
    {
      key: 'failed',
      icon: 'jobs',
      title: 'Failed jobs, last 24 hours',
      run: to(['jobs'], { phase: 'failed', within: '24h' }),
    },
    { key: 'running', icon: 'jobs', title: 'Running jobs', run: runningNow },
    ...(seesAll() ? [scheduleHit()] : []),
    { key: 'link', icon: 'copy', title: 'Copy a link to this page', run: link },
    {
      key: 'density',
      icon: 'menu',
      title: isCompact.value ? 'Comfortable rows' : 'Compact rows',
      run: switchDensity,
    },
    {
      key: 'clock',
      icon: 'schedules',
      title: isUtc.value ? 'Show times in local time' : 'Show times in UTC',
      run: switchClock,
    },
    ...(apiKey.value === null
      ? []
      : [{ key: 'out', icon: 'lock' as const, title: 'Sign out', run: forgetKey }]),
  ];
}

const runningNow = to(['jobs'], { phase: 'executing' });
const newSchedule = to(['schedules'], { new: 'yes' });

function typeHits(): readonly Hit[] {
  return [...(types.value ?? [])].toSorted().flatMap((type) => [
    { key: `type ${type}`, icon: 'type' as const, title: type, run: to(['types', type]) },
    {
      key: `enqueue ${type}`,
      icon: 'type' as const,
      title: `Enqueue ${type}…`,
      run: to(['types', type], { enqueue: 'yes' }),
    },
    {
      key: `cancel ${type}`,
      icon: 'type' as const,
      title: `Cancel all ${type} jobs…`,
      run: to(['types', type], { cancel: 'yes' }),
    },
  ]);
}

/** Every word must be somewhere in the title. */
function isMeant({ title }: Hit, words: string): boolean {
  const text = title.toLowerCase();
  return words
    .toLowerCase()
    .split(/\s+/)
    .every((word) => text.includes(word));
}

const SHOWN = 6;

/** What the page itself knows: pages, actions and types. Without words, the first of them. */
export function ownHits(words: string, pages: readonly Entry[]): HitGroup[] {
  const goals = pages.map(({ path, href, title, icon, key }): Hit => ({
    key: `page ${path}`,
    icon,
    title,
    ...(key === null ? {} : { note: `g ${key}` }),
    run: () => go(href),
  }));
  const isEmpty = words.trim() === '';
  const fit = (hits: readonly Hit[]): readonly Hit[] =>
    isEmpty ? hits : hits.filter((hit) => isMeant(hit, words.trim())).slice(0, SHOWN);
  return [
    { title: 'Pages', hits: fit(goals) },
    { title: 'Actions', hits: fit(actions()) },
    { title: 'Types', hits: isEmpty || !seesAll() ? [] : fit(typeHits()) },
  ].filter(({ hits }) => hits.length > 0);
}
