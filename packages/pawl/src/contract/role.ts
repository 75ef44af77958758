import type { Reach } from '../core/job-access.ts';

/** What a credential may do, by area; every route names the one it needs. */
export const SCOPES = [
  'jobs:read',
  'jobs:write',
  'jobs:cancel',
  'jobs:operate',
  'jobs:erase',
  'work',
  'types:read',
  'types:register',
  'types:write',
  'queues:read',
  'queues:write',
  'dlq:read',
  'dlq:replay',
  'artifacts:read',
  'artifacts:write',
  'schedules:read',
  'schedules:write',
  'webhooks:read',
  'webhooks:write',
  'metrics:read',
  'keys:admin',
  'audit:read',
] as const;

export type Scope = (typeof SCOPES)[number];

/** One of the platform's, or one that a plug-in declares: `heartbeats:read`. */
export type AnyScope = Scope | `${string}:${string}`;

/** The scopes that somebody has. Those of plug-ins are in no list: one can only ask for each. */
export interface Scopes {
  has(scope: string): boolean;
}

export const ROLES = ['admin', 'operator', 'producer', 'worker', 'viewer', 'user'] as const;

/** The roles of API keys, each a set of scopes. */
export type Role = (typeof ROLES)[number];

const READS: readonly Scope[] = [
  'jobs:read',
  'types:read',
  'queues:read',
  'dlq:read',
  'artifacts:read',
  'schedules:read',
  'webhooks:read',
  'metrics:read',
];

const PRODUCES: readonly Scope[] = [
  'jobs:read',
  'types:read',
  'artifacts:read',
  'jobs:write',
  'jobs:cancel',
  'artifacts:write',
];

/** The one table of who may do what; what is not listed is refused. */
export const ROLE_SCOPES: Readonly<Record<Role, readonly Scope[]>> = {
  admin: SCOPES,
  operator: [
    ...READS,
    'jobs:write',
    'jobs:cancel',
    'jobs:operate',
    'types:register',
    'types:write',
    'queues:write',
    'dlq:replay',
    'artifacts:write',
    'schedules:write',
    'webhooks:write',
  ],
  producer: PRODUCES,
  worker: ['work', 'types:read', 'types:register', 'artifacts:read', 'artifacts:write'],
  viewer: READS,
  // As far as it reaches: the own jobs, and those that are shared with a group of the user's.
  user: PRODUCES,
};

/** Who has no other role than `user` reaches what is the user's own. */
export function reachOf(roles: readonly Role[]): Reach {
  return roles.some((role) => role !== 'user') ? 'tenant' : 'own';
}

export function isRole(word: unknown): word is Role {
  return (ROLES as readonly unknown[]).includes(word);
}

/** The roles that have a plug-in's scope by how it ends; any other is for administrators. */
const PLUGIN_ROLES: ReadonlyMap<string, readonly Role[]> = new Map([
  ['read', ['admin', 'operator', 'viewer']],
  ['write', ['admin', 'operator']],
]);

function isPluginScope(scope: string): boolean {
  return !(SCOPES as readonly string[]).includes(scope);
}

/** What the roles allow together, narrowed to a list of scopes where one is given. */
export function scopesOf(roles: readonly Role[], narrowedTo: readonly string[] | null): Scopes {
  const own: ReadonlySet<string> = new Set(roles.flatMap((role) => ROLE_SCOPES[role]));
  return {
    has: (scope) => {
      if (narrowedTo?.includes(scope) === false) return false;
      if (!isPluginScope(scope)) return own.has(scope);
      const allowed = PLUGIN_ROLES.get(scope.slice(scope.lastIndexOf(':') + 1)) ?? ['admin'];
      return roles.some((role) => allowed.includes(role));
    },
  };
}
