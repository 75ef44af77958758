// What this server can do beyond its jobs: pages for the rest are not shown.
import { signal } from '@preact/signals';
import type { TypeJson } from '../../pawl/src/contract/type.ts';
import { get, getAll } from './api.ts';

/** Every type that is registered; null before the first answer. */
export const types = signal<ReadonlySet<string> | null>(null);

/** Whether OGC processes are served. */
export const hasProcesses = signal(false);

export function hasStudio(): boolean {
  return ['convert', 'export'].every((type) => types.value?.has(type) ?? false);
}

let askedFor: { readonly key: string | null } | null = null;

/** Asks once for each key; what is refused is not offered. */
export function askOffers(key: string | null): void {
  if (askedFor?.key === key) return;
  askedFor = { key };
  void getAll<TypeJson>('./v1/types').then(
    ({ items }) => (types.value = new Set(items.map(({ type }) => type))),
    () => (types.value = new Set()),
  );
  void get<object>('./processes', { limit: 1 }).then(
    (answer) => (hasProcesses.value = 'processes' in answer),
    () => (hasProcesses.value = false),
  );
}
