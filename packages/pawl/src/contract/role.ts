/** What a credential may do, by area; every route names the one it needs. */
export const SCOPES = [
  'jobs:read',
  'jobs:write',
  'jobs:cancel',
  'jobs:operate',
  'jobs:erase',
  'work',
  'types:read',
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

/** A scope that a plug-in declares: `heartbeats:read`. */
export type PluginScope = `${string}:${string}`;

export const ROLES = ['admin', 'operator', 'producer', 'worker', 'viewer'] as const;

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

/** The one table of who may do what; what is not listed is refused. */
export const ROLE_SCOPES: Readonly<Record<Role, readonly Scope[]>> = {
  admin: SCOPES,
  operator: [
    ...READS,
    'jobs:write',
    'jobs:cancel',
    'jobs:operate',
    'types:write',
    'queues:write',
    'dlq:replay',
    'artifacts:write',
    'schedules:write',
    'webhooks:write',
  ],
  producer: [
    'jobs:read',
    'types:read',
    'artifacts:read',
    'jobs:write',
    'jobs:cancel',
    'artifacts:write',
  ],
  worker: ['work', 'types:read', 'types:write', 'artifacts:read', 'artifacts:write'],
  viewer: READS,
};

export function isRole(word: unknown): word is Role {
  return (ROLES as readonly unknown[]).includes(word);
}

/** `pluginScopes`: those that the platform's plug-ins declare. */
export function isScope(word: unknown, pluginScopes: readonly string[] = []): word is string {
  return [...SCOPES, ...pluginScopes].includes(word as string);
}

/** A plug-in's scope that ends in `:read` or `:write` is for these roles too, others for admins. */
const PLUGIN_ROLES: readonly (readonly [string, readonly Role[]])[] = [
  [':read', ['operator', 'viewer']],
  [':write', ['operator']],
];

function mayUse(role: Role, pluginScope: string): boolean {
  if (role === 'admin') return true;
  return PLUGIN_ROLES.some(([end, roles]) => pluginScope.endsWith(end) && roles.includes(role));
}

/** What the roles allow together, narrowed to a list of scopes where one is given. */
export function scopesOf(
  roles: readonly Role[],
  narrowedTo: readonly string[] | null,
  pluginScopes: readonly string[] = [],
): ReadonlySet<string> {
  const allowed = new Set<string>(roles.flatMap((role) => ROLE_SCOPES[role]));
  for (const scope of pluginScopes) {
    if (roles.some((role) => mayUse(role, scope))) allowed.add(scope);
  }
  if (narrowedTo === null) return allowed;
  return new Set(narrowedTo.filter((scope) => allowed.has(scope)));
}
