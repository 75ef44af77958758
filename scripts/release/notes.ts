import { readFileSync } from 'node:fs';
import { inRepository } from '../run/repository.ts';

/**
 * What the changelog says of a version, without its heading; `v0.1.0` is 0.1.0.
 * @throws Error where it has no section, or an empty one.
 */
export function notesOf(
  version: string,
  changelog: string = readFileSync(inRepository('CHANGELOG.md'), 'utf8'),
): string {
  const number = version.replace(/^v/, '');
  const sections = changelog.split(/^## /m).slice(1);
  const section = sections.find((text) => text.split(/\s/, 1)[0] === number);
  const notes = section?.slice(section.indexOf('\n')).trim() ?? '';
  if (notes !== '') return notes;
  throw new Error(`CHANGELOG.md has no text for ${number}: add a section "## ${number} (<date>)"`);
}
