// Who looks, and what they may do: what is not allowed is shown as such before the click.
import { signal } from '@preact/signals';
import type { MeJson } from '../../pawl/src/contract/me.ts';
import type { Scope } from '../../pawl/src/contract/role.ts';
import { get } from './api.ts';

/** Null before the first answer, and where the server does not say. */
export const me = signal<MeJson | null>(null);

/** True once the server has said who looks, or that it does not say. */
export const isMeKnown = signal(false);

let askedFor: { readonly key: string | null } | null = null;

/** Asks once for each key. */
export function askMe(key: string | null): void {
  if (askedFor?.key === key) return;
  askedFor = { key };
  isMeKnown.value = false;
  void readMe();
}

async function readMe(): Promise<void> {
  me.value = await get<MeJson>('./v1/me').catch(() => null);
  isMeKnown.value = true;
}

/** Until that is known, the server decides. */
export function may(scope: Scope): boolean {
  return me.value === null || me.value.scopes.includes(scope);
}

/** Whether what concerns all tenants is shown. */
export function isHome(): boolean {
  return me.value?.isHome ?? true;
}

/** Whether what concerns everybody's jobs is shown: a user sees the own and the shared ones. */
export function seesAll(): boolean {
  return me.value?.reach !== 'own';
}

/** Whether a job can be changed, as far as it is a matter of whose it is. */
export function isOwn({ requestedBy }: { readonly requestedBy: string | null }): boolean {
  return seesAll() || requestedBy === me.value?.principal;
}

/** Why something cannot be done, and what to do about it. */
export function refusalOf(scope: Scope): string {
  return `Not allowed: this needs the scope ${scope}, which your key does not have. Ask an administrator for one that has it.`;
}
