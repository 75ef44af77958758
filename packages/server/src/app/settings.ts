import type { Setting } from 'pawl/internal/settings/setting';
import { STORE_SETTINGS } from 'pawl/internal/settings/store-settings';

/** Every setting there is. What is not listed is not read; a test keeps it so. */
export const SETTINGS: readonly Setting[] = [
  { name: 'HOST', fallback: '127.0.0.1', sentence: 'The address on which the API listens.' },
  { name: 'PORT', fallback: '8080', sentence: 'The port on which the API listens.' },
  ...STORE_SETTINGS,
  { name: 'PAWL_JOBS', fallback: null, sentence: 'A module that exports jobs to run here.' },
  {
    name: 'PAWL_ROLES',
    fallback: null,
    sentence: 'Roles of this process, comma-separated: api, worker, sweeper. Default: all.',
  },
  {
    name: 'PAWL_DRAIN_MS',
    fallback: '0',
    sentence: 'How long requests are still answered after SIGTERM, while /readyz returns 503.',
  },
  {
    name: 'PAWL_AUTH',
    fallback: null,
    sentence: 'Whether credentials are required: on, or off (on loopback addresses only).',
  },
  { name: 'PAWL_OIDC_ISSUER', fallback: null, sentence: 'OIDC issuer whose tokens are accepted.' },
  { name: 'PAWL_OIDC_AUDIENCE', fallback: null, sentence: 'Audience that the tokens must have.' },
  { name: 'PAWL_OIDC_JWKS_URL', fallback: null, sentence: 'JWKS URL of the issuer.' },
  {
    name: 'PAWL_OIDC_TENANT_CLAIM',
    fallback: 'tenant',
    sentence: 'The claim that names the tenant.',
  },
  { name: 'PAWL_OIDC_ROLES_CLAIM', fallback: 'roles', sentence: 'The claim that lists the roles.' },
  {
    name: 'PAWL_OIDC_GROUPS_CLAIM',
    fallback: 'groups',
    sentence: 'The claim that lists the groups of a user.',
  },
  {
    name: 'PAWL_OIDC_CLIENT_ID',
    fallback: null,
    sentence: 'OIDC client id of the dashboard. Default: people sign in with an API key.',
  },
  {
    name: 'PAWL_OIDC_SCOPE',
    fallback: 'openid profile',
    sentence: 'OIDC scopes that the dashboard requests; must contain openid.',
  },
  {
    name: 'PAWL_TRACE_URL',
    fallback: null,
    sentence: 'Link template for traces in the dashboard, with {traceId}; public.',
  },
  {
    name: 'PAWL_REQUESTS_PER_SECOND',
    fallback: null,
    sentence:
      'Rate limit per credential, 0 for none. Default: 1000 where credentials are required.',
  },
  {
    name: 'PAWL_CORS_ORIGINS',
    fallback: null,
    sentence:
      'Comma-separated origins whose pages may use the API; only where credentials are required.',
  },
  {
    name: 'PAWL_CONNECTIONS_PER_ADDRESS',
    fallback: '1000',
    sentence: 'Open connections per address, 0 for no limit; health checks are always accepted.',
  },
  {
    name: 'PAWL_LEASE_TOKENS',
    fallback: 'optional',
    sentence:
      'required: owners of jobs must send the token of their claim. optional: checked where sent.',
  },
  {
    name: 'PAWL_LINK_KEYS',
    fallback: null,
    sentence: 'Keys that sign links to artifacts and messages. Default: a file in the data folder.',
    isSecret: true,
  },
  {
    name: 'PAWL_SECRET_KEYS',
    fallback: null,
    sentence: 'Keys that encrypt stored secrets, such as those of webhooks.',
    isSecret: true,
  },
  {
    name: 'PAWL_S3_ENDPOINT',
    fallback: null,
    sentence: 'URL of an S3 bucket for artifacts, including its name.',
  },
  { name: 'PAWL_S3_ACCESS_KEY_ID', fallback: null, sentence: 'Access key id for that bucket.' },
  {
    name: 'PAWL_S3_SECRET_ACCESS_KEY',
    fallback: null,
    sentence: 'Secret access key for that bucket.',
    isSecret: true,
  },
  {
    name: 'PAWL_OUTGOING_ALLOW',
    fallback: null,
    sentence: 'Private hosts or networks that webhooks and providers may reach, comma-separated.',
  },
  {
    name: 'PAWL_PUBLIC_URL',
    fallback: null,
    sentence: 'Public URL of the API, for absolute links; message links need it.',
  },
  {
    name: 'PAWL_METRICS_PORT',
    fallback: null,
    sentence: 'A second port for /metrics, without credentials.',
  },
  {
    name: 'PAWL_RETENTION_JOBS',
    fallback: '30d',
    sentence: 'How long ended jobs are kept with their events: 30d, 12h, or never to remove any.',
  },
  {
    name: 'PAWL_RETENTION_NOTES',
    fallback: '1d',
    sentence: 'How long notes (heartbeats, progress, log lines) are kept.',
  },
  {
    name: 'PAWL_RETENTION_FEED',
    fallback: '2d',
    sentence: 'How far back an event stream can resume.',
  },
  {
    name: 'PAWL_RETENTION_FIRES',
    fallback: '90d',
    sentence: 'How long the histories of schedules are kept.',
  },
  {
    name: 'PAWL_RETENTION_DEAD_LETTERS',
    fallback: '90d',
    sentence: 'How long dead letters are kept.',
  },
  {
    name: 'PAWL_REPROCESS_REASONS',
    fallback: null,
    sentence: 'Dead letters with these reasons are replayed automatically. Default: none.',
  },
  {
    name: 'PAWL_REPROCESS_TYPES',
    fallback: null,
    sentence: 'Automatic replays only for these types.',
  },
  {
    name: 'PAWL_REPROCESS_TENANTS',
    fallback: 'default',
    sentence: 'Automatic replays only for these tenants.',
  },
  {
    name: 'PAWL_REPROCESS_DELAY',
    fallback: '10m',
    sentence: 'Time between a failure and its automatic replay.',
  },
  {
    name: 'PAWL_REPROCESS_TIMES',
    fallback: '3',
    sentence: 'Maximum number of automatic replays of one job.',
  },
  {
    name: 'PAWL_REPROCESS_PER_MINUTE',
    fallback: '60',
    sentence: 'Maximum number of automatic replays per minute.',
  },
  {
    name: 'LOG_LEVEL',
    fallback: 'info',
    sentence: 'Log level: debug, info, warn, error or silent.',
  },
  {
    name: 'LOG_FORMAT',
    fallback: null,
    sentence: 'Log format: json or pretty. Default: pretty on a terminal, otherwise json.',
  },
  {
    name: 'OTEL_EXPORTER_OTLP_ENDPOINT',
    fallback: null,
    sentence: 'OTLP endpoint for traces. Default: no traces are sent.',
  },
  { name: 'OTEL_SERVICE_NAME', fallback: 'pawl', sentence: 'Service name of the traces.' },
];
