import { styleText } from 'node:util';
import type { Platform } from '../app/platform.ts';
import { DEFAULT_URL } from 'pawl/internal/cli/session';

function accessText({ isOpen, firstKeyFile }: Platform): string {
  if (isOpen) {
    const text = 'open: every program on this machine, and no other, may do anything';
    return styleText('yellow', text);
  }
  const made = firstKeyFile === null ? '' : `; the first one, for an admin, is in ${firstKeyFile}`;
  return `by API key${made}`;
}

/** What can be tried as the platform stands, each with what it shows. */
function examplesOf({ url, isOpen, types }: Platform, command: string): [string, string][] {
  const key = isOpen ? '' : ' -H "authorization: Bearer $PAWL_KEY"';
  const there = url === DEFAULT_URL ? '' : ` --url ${url}`;
  const pawl = (words: string): string => `${command} ${words}${there}`;
  const examples: [string, string][] = [];
  if (types.includes('convert')) {
    examples.push([pawl('tour'), 'a document becomes a deck, is exported, and answers']);
  }
  if (types.includes('greet')) {
    const input = `'{"names":["Ada"]}'`;
    examples.push([pawl(`enqueue greet --input ${input} --watch`), 'one job, from start to end']);
  }
  examples.push([pawl('doctor --verify'), 'is everything well?']);
  examples.push([`curl${key} ${url}/v1/jobs`, 'the API, described at /docs']);
  return examples;
}

/** What a person is told when the platform is up. */
export function greeting(platform: Platform, command: string): string {
  const { url, storeName, types } = platform;
  const worker =
    types.length === 0
      ? 'none here: name a module of jobs with PAWL_JOBS, or claim over HTTP'
      : `runs ${types.join(', ')}`;
  if (url === '') return `Pawl is running.\n\n  Store    ${storeName}\n  Worker   ${worker}\n`;
  const examples = examplesOf(platform, command);
  return `
${styleText('bold', 'Pawl is running.')} Open ${styleText('cyan', url)} in a browser.

  Store    ${storeName}
  Worker   ${worker}
  Access   ${accessText(platform)}

From another terminal:

${examples.map(([line, shows]) => `  ${line}\n      ${styleText('dim', shows)}`).join('\n')}

Stop with Ctrl-C: what was accepted stays.
`;
}
