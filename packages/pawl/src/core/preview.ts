import type { Fault } from './errors.ts';

const PATTERNS_MAX = 32;
const PATTERN_LENGTH_MAX = 128;

/** Whether a name fits one of the patterns, in which `*` stands for any characters. */
export function isPreview(patterns: readonly string[], name: string): boolean {
  return patterns.some((pattern) => fits(pattern, name));
}

/** By hand and not by a regular expression, which a pattern of many stars would make run wild. */
function fits(pattern: string, name: string): boolean {
  const [first = '', ...rest] = pattern.split('*');
  if (rest.length === 0) return name === pattern;
  if (!name.startsWith(first)) return false;
  const last = rest.pop()!;
  let at = first.length;
  for (const part of rest) {
    const found = name.indexOf(part, at);
    if (found === -1) return false;
    at = found + part.length;
  }
  return name.length - last.length >= at && name.endsWith(last);
}

export function checkPreviews(patterns: readonly string[]): Fault[] {
  const faults: Fault[] = [];
  if (patterns.length > PATTERNS_MAX) {
    faults.push({ pointer: '/previews', message: `must be ${PATTERNS_MAX} patterns at most` });
  }
  patterns.forEach((pattern, index) => {
    const pointer = `/previews/${index}`;
    if (pattern === '' || pattern.length > PATTERN_LENGTH_MAX) {
      faults.push({ pointer, message: `must be 1 to ${PATTERN_LENGTH_MAX} characters` });
    }
    if (pattern.startsWith('$')) {
      faults.push({ pointer, message: 'must not begin with "$": such names are no artifacts' });
    }
  });
  return faults;
}
