import type { Rung } from '../figures.ts';
import { play, whyNoBadDisks } from './play.ts';
import { playReadOnlyServers } from './read-only-server.ts';

/** All variants of bad disks, on SQLite and, as far as it can be done there, PostgreSQL. */
export const runDisks: Rung = async (_options, say) => {
  const reason = whyNoBadDisks();
  if (reason !== null) return { figures: { skipped: reason }, violations: [] };
  const violations: string[] = [];
  let variants = 0;
  const told = ({ name, found }: { name: string; found: readonly string[] }): void => {
    variants += 1;
    violations.push(...found.map((one) => `${name}: ${one}`));
    say(`${found.length === 0 ? 'ok' : 'BAD'}  ${name}`);
  };
  await play([], told);
  await playReadOnlyServers(told);
  return { figures: { 'variants of bad disks': variants }, violations };
};
