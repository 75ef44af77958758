import { existsSync, readFileSync } from 'node:fs';
import { inRepository } from '../../scripts/run/repository.ts';

const PACKAGES = [
  'graphile-worker',
  'pg-boss',
  'bullmq',
  'ioredis',
  'plainjob',
  'better-sqlite3',
  'pg',
];

/** The packages that were measured, as they are installed; none of those that are not. */
export function versionsOfPeers(): string[] {
  return PACKAGES.flatMap((name) => {
    const file = inRepository('bench', 'node_modules', name, 'package.json');
    if (!existsSync(file)) return [];
    const { version } = JSON.parse(readFileSync(file, 'utf8')) as { version: string };
    return [`${name} ${version}`];
  });
}
