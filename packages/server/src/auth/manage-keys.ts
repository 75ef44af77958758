import { apiActor } from 'pawl/internal/core/actor';
import { type Fault, invalid, PawlError } from 'pawl/internal/core/errors';
import type { Ids } from 'pawl/internal/core/ids';
import type { Precondition } from 'pawl/internal/core/precondition';
import {
  type AccessKey,
  type AccessKeys,
  type AccessKeyWrite,
  keyTag,
  type NewAccessKey,
} from 'pawl/internal/records/access-keys';
import { type Credential, HOME_TENANT, TENANT_PATTERN } from 'pawl/internal/contract/credential';
import { freshKey } from './key-text.ts';
import { isRole, type Role, ROLES, SCOPES, scopesOf } from 'pawl/internal/contract/role';

/** What the management of keys works with. */
export interface KeyDependencies {
  readonly accessKeys: AccessKeys;
  readonly ids: Ids;
  /** Those that the platform's plug-ins declare. */
  readonly pluginScopes?: readonly string[];
}

export interface KeyWish {
  readonly name: string;
  readonly roles: readonly Role[];
  readonly scopes?: readonly string[] | null;
  readonly queues?: readonly string[] | null;
  readonly groups?: readonly string[];
  readonly ttlMs?: number | null;
  /** Another tenant than the caller's own: for administrators of the home tenant. */
  readonly tenant?: string;
  /** The same wish sent again: it makes no second key. */
  readonly idempotencyKey?: string;
}

/** A key that was just made. The text is shown now and never again. */
export interface MadeKey {
  readonly key: AccessKey;
  readonly text: string;
}

const TENANT = new RegExp(TENANT_PATTERN);

/** True for a name that a tenant can have; the mark of what all tenants share is none. */
export function isTenantName(name: unknown): name is string {
  return typeof name === 'string' && TENANT.test(name);
}

/** Makes a key of at most the caller's own rights. */
export async function createKey(
  deps: KeyDependencies,
  by: Credential,
  wish: KeyWish,
): Promise<MadeKey> {
  const tenant = wish.tenant ?? by.tenant;
  checkWish(wish, tenant);
  if (tenant !== by.tenant && by.tenant !== HOME_TENANT) {
    throw new PawlError('FORBIDDEN', 'keys can be created only for your own tenant');
  }
  refuseMore(deps, by, { roles: wish.roles, scopes: wish.scopes ?? null });
  const { idempotencyKey } = wish;
  const fresh = freshKey(idempotencyKey === undefined ? null : `${tenant}\n${idempotencyKey}`);
  const add: NewAccessKey = {
    id: fresh.id,
    tenant,
    name: wish.name,
    hash: fresh.hash,
    roles: wish.roles,
    scopes: wish.scopes ?? null,
    queues: wish.queues ?? null,
    groups: wish.groups ?? [],
    createdBy: apiActor(by.principal),
    ttlMs: wish.ttlMs ?? null,
  };
  return make(deps, by, { add, text: fresh.text, end: null });
}

/** A new key with the rights of an old one, which goes on for a while so that nobody is cut off. */
export async function rotateKey(
  deps: KeyDependencies,
  by: Credential,
  asked: { id: string; overlapMs: number; requires?: Precondition | undefined },
): Promise<MadeKey> {
  const old = await findKey(deps, by, asked.id);
  asked.requires?.(keyTag(old));
  if (old.revokedAt !== null || old.replacedBy !== null) {
    const what = old.replacedBy === null ? 'is revoked' : `was replaced by ${old.replacedBy}`;
    throw new PawlError('ILLEGAL_TRANSITION', `the key ${old.id} ${what}`);
  }
  refuseMore(deps, by, { roles: old.roles.filter(isRole), scopes: old.scopes });
  const fresh = freshKey();
  const { tenant, name, roles, scopes, queues, groups = [] } = old;
  const ttlMs = old.expiresAt === null ? null : old.expiresAt - old.createdAt;
  const createdBy = apiActor(by.principal);
  const { id, hash, text } = fresh;
  const add = { id, tenant, name, hash, roles, scopes, queues, groups, createdBy, ttlMs };
  const end = { tenant, id: old.id, inMs: asked.overlapMs, replacedBy: id };
  return make(deps, by, { add, text, end, requires: asked.requires });
}

/** Ends a key at once. Asking again changes nothing. */
export async function revokeKey(
  deps: KeyDependencies,
  by: Credential,
  id: string,
  requires?: Precondition,
): Promise<AccessKey> {
  const key = await findKey(deps, by, id);
  requires?.(keyTag(key));
  if (key.revokedAt !== null) return key;
  await deps.accessKeys.write({
    add: null,
    end: { tenant: key.tenant, id, inMs: 0, replacedBy: null },
    audit: [entryOf(deps, by, { action: 'key.revoked', subject: id, tenant: key.tenant })],
    check: (ending) => requires?.(keyTag(ending)),
  });
  return findKey(deps, by, id);
}

/** A key as its own tenant, or the home tenant, may see it. */
export async function findKey(
  deps: KeyDependencies,
  by: Credential,
  id: string,
): Promise<AccessKey> {
  const key = await deps.accessKeys.find(id);
  if (key === null || (key.tenant !== by.tenant && by.tenant !== HOME_TENANT)) {
    throw new PawlError('NOT_FOUND', `there is no key ${id}`);
  }
  return key;
}

async function make(
  deps: KeyDependencies,
  by: Credential,
  made: {
    add: NewAccessKey;
    text: string;
    end: AccessKeyWrite['end'];
    requires?: Precondition | undefined;
  },
): Promise<MadeKey> {
  const { add, text, end, requires } = made;
  const { id, tenant, name, roles, scopes, queues, groups } = add;
  const action = end === null ? 'key.created' : 'key.rotated';
  const subject = end?.id ?? id;
  const details = { id, name, roles, scopes, queues, groups };
  const audit = [entryOf(deps, by, { action, subject, tenant, details })];
  const outcome = await deps.accessKeys.write({
    add,
    end,
    audit,
    check: (ending) => requires?.(keyTag(ending)),
  });
  if (outcome === 'exists') {
    const message = `this request has already made the key ${id}; rotate it for a new secret`;
    throw new PawlError('ALREADY_EXISTS', message, { details: { id } });
  }
  if (outcome === 'missing') throw new PawlError('NOT_FOUND', `there is no key ${subject}`);
  const key = await deps.accessKeys.find(id);
  return { key: key!, text };
}

/** What an administrator did, for the log of their own tenant. */
export function entryOf(
  deps: Pick<KeyDependencies, 'ids'>,
  by: Credential,
  did: { action: string; subject: string; tenant?: string; details?: unknown },
) {
  return {
    tenant: did.tenant ?? by.tenant,
    id: deps.ids.next(),
    actor: apiActor(by.principal),
    action: did.action,
    subject: did.subject,
    details: did.details === undefined ? null : JSON.stringify(did.details),
  };
}

function checkWish(wish: KeyWish, tenant: string): void {
  const faults: Fault[] = [];
  if (!isTenantName(tenant)) {
    const message = 'must be 1 to 63 letters, digits or . _ -';
    faults.push({ pointer: '/tenant', message });
  }
  if (wish.roles.length === 0 || !wish.roles.every(isRole)) {
    faults.push({ pointer: '/roles', message: `must name some of ${ROLES.join(', ')}` });
  }
  if (faults.length > 0) throw invalid(faults);
}

function refuseMore(
  { pluginScopes = [] }: KeyDependencies,
  by: Credential,
  { roles, scopes }: { roles: readonly Role[]; scopes: readonly string[] | null },
): void {
  const allowed = scopesOf(roles, scopes);
  const beyond = [...SCOPES, ...pluginScopes].filter(
    (scope) => allowed.has(scope) && !by.scopes.has(scope),
  );
  if (beyond.length === 0) return;
  const message = `a key may not allow more than its maker: ${beyond.join(', ')}`;
  throw new PawlError('FORBIDDEN', message);
}
