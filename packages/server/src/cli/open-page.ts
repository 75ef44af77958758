import { spawn } from 'node:child_process';

/** The program of each platform that opens an address in the user's browser. */
const OPENERS: Readonly<Partial<Record<NodeJS.Platform, readonly [string, ...string[]]>>> = {
  darwin: ['open'],
  // The empty argument is the window's title, for which `start` would take the address.
  win32: ['cmd', '/c', 'start', ''],
};

const OPENER_ELSEWHERE = ['xdg-open'] as const;

export function openerOf(platform: NodeJS.Platform): readonly [string, ...string[]] {
  return OPENERS[platform] ?? OPENER_ELSEWHERE;
}

/** Only for a person at a terminal: neither CI nor a program that reads this has a browser. */
export function mayOpenPage(env: NodeJS.ProcessEnv, output: { readonly isTTY?: boolean }): boolean {
  const isCi = (env['CI'] ?? '') !== '' && env['CI'] !== 'false';
  return output.isTTY === true && !isCi;
}

/** Opens the address in the browser; where that fails the address is on the screen anyway. */
export function openPage(url: string, platform: NodeJS.Platform = process.platform): void {
  const [program, ...words] = openerOf(platform);
  const opener = spawn(program, [...words, url], { stdio: 'ignore', detached: true });
  opener.on('error', () => {});
  opener.unref();
}
