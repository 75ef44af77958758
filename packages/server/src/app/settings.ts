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
    sentence: 'What this process does, by commas: api, worker, sweeper; all without.',
  },
  {
    name: 'PAWL_DRAIN_MS',
    fallback: '0',
    sentence: 'How long it goes on after a signal, telling load balancers to look elsewhere.',
  },
  { name: 'PAWL_AUTH', fallback: null, sentence: 'on, or off on the own machine only.' },
  { name: 'PAWL_OIDC_ISSUER', fallback: null, sentence: 'Whose tokens are good here.' },
  { name: 'PAWL_OIDC_AUDIENCE', fallback: null, sentence: 'For whom such tokens must be made.' },
  { name: 'PAWL_OIDC_JWKS_URL', fallback: null, sentence: 'Where the keys of the issuer are.' },
  {
    name: 'PAWL_OIDC_TENANT_CLAIM',
    fallback: 'tenant',
    sentence: 'The claim that names the tenant.',
  },
  { name: 'PAWL_OIDC_ROLES_CLAIM', fallback: 'roles', sentence: 'The claim that lists the roles.' },
  {
    name: 'PAWL_OIDC_CLIENT_ID',
    fallback: null,
    sentence: 'As whom the dashboard lets people sign in at the issuer; by API key alone without.',
  },
  {
    name: 'PAWL_OIDC_SCOPE',
    fallback: 'openid profile',
    sentence: 'What the dashboard asks the issuer for, openid among it.',
  },
  {
    name: 'PAWL_TRACE_URL',
    fallback: null,
    sentence: 'Where the dashboard links traces to, with {traceId} in it; told to all who ask.',
  },
  {
    name: 'PAWL_REQUESTS_PER_SECOND',
    fallback: null,
    sentence: 'Requests a second per credential, 0 for no limit; 1000 where credentials are asked.',
  },
  {
    name: 'PAWL_LINK_KEYS',
    fallback: null,
    sentence: 'Keys that sign links to artifacts; made up and kept in the data folder without.',
    isSecret: true,
  },
  {
    name: 'PAWL_SECRET_KEYS',
    fallback: null,
    sentence: 'Keys that encrypt what is stored of secrets, such as those of webhooks.',
    isSecret: true,
  },
  { name: 'PAWL_S3_ENDPOINT', fallback: null, sentence: 'A bucket for artifacts, with its name.' },
  { name: 'PAWL_S3_ACCESS_KEY_ID', fallback: null, sentence: 'Who reads and writes that bucket.' },
  {
    name: 'PAWL_S3_SECRET_ACCESS_KEY',
    fallback: null,
    sentence: 'The secret that goes with it.',
    isSecret: true,
  },
  {
    name: 'PAWL_OUTGOING_ALLOW',
    fallback: null,
    sentence: 'Private hosts or networks that webhooks and providers may reach, by commas.',
  },
  {
    name: 'PAWL_PUBLIC_URL',
    fallback: null,
    sentence: 'Where clients reach the API, for links that must be whole; by their Host without.',
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
  { name: 'PAWL_RETENTION_NOTES', fallback: '1d', sentence: 'How long notes are kept.' },
  { name: 'PAWL_RETENTION_FEED', fallback: '2d', sentence: 'How far back a stream can resume.' },
  { name: 'PAWL_RETENTION_FIRES', fallback: '90d', sentence: 'How long fired slots are kept.' },
  {
    name: 'PAWL_RETENTION_DEAD_LETTERS',
    fallback: '90d',
    sentence: 'How long dead letters are kept.',
  },
  {
    name: 'PAWL_REPROCESS_REASONS',
    fallback: null,
    sentence: 'Dead letters with these reasons are replayed by themselves; none without.',
  },
  { name: 'PAWL_REPROCESS_TYPES', fallback: null, sentence: 'Of these types of jobs only.' },
  { name: 'PAWL_REPROCESS_TENANTS', fallback: 'default', sentence: 'Of these tenants.' },
  { name: 'PAWL_REPROCESS_DELAY', fallback: '10m', sentence: 'So long after the failure.' },
  { name: 'PAWL_REPROCESS_TIMES', fallback: '3', sentence: 'At most so often for one job.' },
  { name: 'PAWL_REPROCESS_PER_MINUTE', fallback: '60', sentence: 'So many a minute in all.' },
  { name: 'LOG_LEVEL', fallback: 'info', sentence: 'How much is logged.' },
  {
    name: 'LOG_FORMAT',
    fallback: null,
    sentence: 'json or pretty; by the terminal without.',
  },
  {
    name: 'OTEL_EXPORTER_OTLP_ENDPOINT',
    fallback: null,
    sentence: 'Where traces are sent; not at all without.',
  },
  { name: 'OTEL_SERVICE_NAME', fallback: 'pawl', sentence: 'By which name traces are sent.' },
];
