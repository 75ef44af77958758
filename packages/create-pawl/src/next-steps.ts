import { resolve } from 'node:path';
import type { Answers } from './answers.ts';

/** What the templates need of Node: it runs TypeScript as it is. */
const NODE_MIN = [24, 16] as const;

function isOldNode(version: string): boolean {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  return major < NODE_MIN[0] || (major === NODE_MIN[0] && minor < NODE_MIN[1]);
}

/** What to do after the files are there. */
export function nextSteps(
  { folder, store, dashboard }: Answers,
  files: number,
  node: string = process.versions.node,
): string {
  const [major, minor] = NODE_MIN;
  const own = `gives the project its own Node: ${node} is older than ${major}.${minor}`;
  const isHere = resolve(folder) === resolve('.');
  const steps = [
    ...(isHere ? [] : [[`cd ${folder}`, '']]),
    isOldNode(node) ? ['npm install node@26', own] : ['npm install', ''],
    ...(store === 'postgres' ? [['docker compose up -d database', 'PostgreSQL on port 5432']] : []),
    ['npm test', 'runs the test of the job, without waiting'],
    dashboard
      ? ['npm run dev', 'runs the platform and opens its dashboard']
      : ['npm start', 'runs a job, then works until Ctrl-C'],
  ];
  const lines = steps.map(([command = '', why]) => `  ${command.padEnd(32)}${why}`.trimEnd());
  const place = isHere ? 'this folder' : folder;
  return `Created ${files} files in ${place}. Next:\n\n${lines.join('\n')}\n`;
}
