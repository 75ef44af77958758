import { readFileSync } from 'node:fs';

/** The oldest Node that this package runs on, by its own manifest. */
const oldest = (
  JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as {
    engines: { node: string };
  }
).engines.node.replace('>=', '');

function isOlder(version: string, than: string): boolean {
  const [[major = 0, minor = 0], [majorMin = 0, minorMin = 0]] = [version, than].map((text) =>
    text.split('.').map(Number),
  ) as [number[], number[]];
  return major < majorMin || (major === majorMin && minor < minorMin);
}

/** Null where this Node will do, or else what to do about it. */
export function nodeFault(version: string = process.versions.node): string | null {
  if (!isOlder(version, oldest)) return null;
  return (
    `Node ${oldest} or newer is needed, and this is ${version}. Update it, or give the project a ` +
    'Node of its own with "npm install node@26": then npx uses that one.'
  );
}
