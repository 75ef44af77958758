export { ogc } from './plugin.ts';
export type { MonitorLink } from './server/dependencies.ts';
export type { OgcOptions } from './settings.ts';
