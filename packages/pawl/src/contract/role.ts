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

export function isScope(word: unknown): word is Scope {
  return (SCOPES as readonly unknown[]).includes(word);
}

/** What the roles allow together, narrowed to a list of scopes where one is given. */
export function scopesOf(
  roles: readonly Role[],
  narrowedTo: readonly Scope[] | null,
): ReadonlySet<Scope> {
  const allowed = new Set(roles.flatMap((role) => ROLE_SCOPES[role]));
  if (narrowedTo === null) return allowed;
  return new Set(narrowedTo.filter((scope) => allowed.has(scope)));
}
