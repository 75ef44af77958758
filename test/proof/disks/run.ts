import type { Rung } from '../figures.ts';
import { play, whyNoBadDisks } from './play.ts';
import { playBadServers } from './bad-server.ts';
import { playReadOnlyServers } from './read-only-server.ts';

/**
 * `--store sqlite` or `postgres`, else both: all variants of bad disks. `--only "to sync"`: on
 * PostgreSQL those whose names have these words.
 */
export const runDisks: Rung = async (options, say) => {
  const reason = whyNoBadDisks();
  if (reason !== null) return { figures: { skipped: reason }, violations: [] };
  const violations: string[] = [];
  let variants = 0;
  const told = ({ name, found }: { name: string; found: readonly string[] }): void => {
    variants += 1;
    violations.push(...found.map((one) => `${name}: ${one}`));
    say(`${found.length === 0 ? 'ok' : 'BAD'}  ${name}`);
  };
  const store = options.text('store');
  if (store !== 'postgres') await play([], told);
  if (store !== 'sqlite') {
    if (options.text('only') === null) await playReadOnlyServers(told);
    await playBadServers(told, options.text('only') ?? '');
  }
  return { figures: { 'variants of bad disks': variants }, violations };
};
