// What programs and platforms name: `import { convert, studio } from '@pawl/studio'`.
export * from './jobs.ts';
export { studio } from './plugin.ts';
