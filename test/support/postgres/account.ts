// PostgreSQL refuses to run as root, so a root test run starts it as somebody else.
import { execFileSync } from 'node:child_process';
import { statSync } from 'node:fs';
import { dirname } from 'node:path';

export interface Account {
  uid: number;
  gid: number;
}

const accountNames = ['postgres', 'nobody'];

/** The account the server must run as, or undefined when the current one will do. */
export function serverAccount(): Account | undefined {
  if (process.getuid?.() !== 0) return undefined;
  for (const name of accountNames) {
    const uid = numberFrom('-u', name);
    const gid = numberFrom('-g', name);
    if (uid !== undefined && gid !== undefined) return { uid, gid };
  }
  throw new Error(`PostgreSQL cannot run as root and no user ${accountNames.join(' or ')} exists`);
}

function numberFrom(flag: '-u' | '-g', name: string): number | undefined {
  try {
    return Number(execFileSync('id', [flag, name], { stdio: ['ignore', 'pipe', 'ignore'] }));
  } catch {
    return undefined;
  }
}

/**
 * What a command begins with that is to run as the account: a namespace may have to be entered as
 * root before, so it cannot be done by whoever spawns. It ends with whoever started it.
 */
export function lowered(account: Account | undefined): readonly string[] {
  if (account === undefined) return [];
  const ids = [`--reuid=${account.uid}`, `--regid=${account.gid}`, '--clear-groups'];
  return ['setpriv', ...ids, '--pdeathsig', 'KILL', '--'];
}

/** Whether the account may enter every folder above the path and execute (or enter) the path. */
export function canReach(path: string, account: Account): boolean {
  const { uid, gid, mode } = statSync(path);
  const bit = uid === account.uid ? 0o100 : gid === account.gid ? 0o010 : 0o001;
  if ((mode & bit) === 0) return false;
  const parent = dirname(path);
  return parent === path || canReach(parent, account);
}
