import { type Static, Type } from 'typebox';
import { TENANT_PATTERN } from './credential.ts';
import { GROUP_LENGTH_MAX, GROUPS_MAX } from './groups.ts';
import { ROLES, SCOPES } from './role.ts';
import { closed, Name, nullable, text, Time } from './values.ts';

const Roles = Type.Array(Type.Enum([...ROLES]), { minItems: 1, maxItems: ROLES.length });
const Queues = Type.Array(Name, { minItems: 1, maxItems: 256 });

const Groups = Type.Array(text(GROUP_LENGTH_MAX, 1), {
  maxItems: GROUPS_MAX,
  uniqueItems: true,
  description: 'Groups of the holder, for processes and jobs that are shared with groups.',
});

const TTL_MS_MAX = 10 * 366 * 86_400_000;

const TenantName = Type.String({
  pattern: TENANT_PATTERN,
  fault: 'must be 1 to 63 letters, digits or . _ -',
});

/** `pluginScopes`: those that the platform's plug-ins declare. */
export function keyBody(pluginScopes: readonly string[]) {
  const scopes = [...SCOPES, ...pluginScopes];
  const Scopes = Type.Array(Type.Enum(scopes), { minItems: 1, maxItems: scopes.length });
  return Type.Object(
    {
      name: text(128, 1),
      roles: Roles,
      scopes: Type.Optional(Scopes),
      queues: Type.Optional(Queues),
      groups: Type.Optional(Groups),
      ttlMs: Type.Optional(Type.Integer({ minimum: 1_000, maximum: TTL_MS_MAX })),
      tenant: Type.Optional(TenantName),
    },
    {
      $id: 'AccessKeyRequest',
      additionalProperties: false,
      examples: [{ name: 'deploy-bot', roles: ['producer'], ttlMs: 7_776_000_000 }],
    },
  );
}

export type NewKeyJson = Static<ReturnType<typeof keyBody>>;

export const RotateBody = closed({
  overlapMs: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: 30 * 86_400_000,
      default: 86_400_000,
      description: 'How long the old key stays valid; 0 revokes it at once.',
    }),
  ),
});

const KEY = {
  id: Type.String(),
  tenant: Type.String(),
  name: Type.String(),
  roles: Type.Array(Type.String()),
  scopes: nullable(Type.Array(Type.String())),
  queues: nullable(Type.Array(Type.String())),
  groups: Type.Array(Type.String()),
  createdAt: Time,
  createdBy: Type.String(),
  expiresAt: nullable(Time),
  revokedAt: nullable(Time),
  replacedBy: nullable(Type.String()),
  lastUsedAt: nullable(Time),
};

export const KeySchema = Type.Object(KEY, { $id: 'AccessKey', additionalProperties: false });

export type KeyJson = Static<typeof KeySchema>;

export const MadeKeySchema = Type.Object(
  { ...KEY, key: Type.String({ description: 'The key itself. It is shown only once.' }) },
  { $id: 'MadeAccessKey', additionalProperties: false },
);

export const AuditSchema = Type.Object(
  {
    id: Type.String(),
    at: Time,
    actor: Type.String(),
    action: Type.String({ examples: ['key.created', 'key.rotated', 'key.revoked', 'type.put'] }),
    subject: Type.String(),
    details: Type.Unknown(),
  },
  { $id: 'AuditEntry', additionalProperties: false },
);
