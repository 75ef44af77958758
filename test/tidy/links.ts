// Relative links between documents must lead somewhere.
import { posix } from 'node:path';
import { lineAt, type SourceFile } from './source.ts';

const inlineLink = /\]\(\s*<?([^)\s>]+)>?(?:\s+"[^"]*")?\s*\)/g;
const linkDefinition = /^\s*\[[^\]]+\]:\s+<?([^\s>]+)>?/gm;
const hasScheme = /^[a-z][a-z0-9+.-]*:/i;

/** `exists` is asked for paths from the root of the repository. */
export function linkProblems(
  { path, text }: SourceFile,
  exists: (path: string) => boolean,
): string[] {
  const prose = withoutCode(text);
  const links = [...prose.matchAll(inlineLink), ...prose.matchAll(linkDefinition)];
  return links.flatMap((match) => {
    const target = (match[1] ?? '').replace(/[?#].*$/, '');
    if (target === '' || hasScheme.test(target)) return [];
    const from = target.startsWith('/') ? '.' : posix.dirname(path);
    const resolved = posix.join(from, decodeURIComponent(target));
    if (exists(resolved)) return [];
    return [`${path}:${lineAt(prose, match.index)}: ${match[1]} does not exist`];
  });
}

function withoutCode(text: string): string {
  const blank = (code: string): string => code.replaceAll(/[^\n]/g, ' ');
  return text.replaceAll(/^(```|~~~)[\s\S]*?^\1/gm, blank).replaceAll(/`[^`\n]*`/g, blank);
}
