// The page of contents lists what there is, under headings: so it is the menu too.
import { marked, type Token, type Tokens } from 'marked';
import { posix } from 'node:path';
import { nameOf } from './pages.ts';

export interface Goal {
  readonly name: string;
  readonly title: string;
}

export interface Chapter {
  readonly title: string;
  readonly goals: readonly Goal[];
}

function linksIn(tokens: readonly Token[]): Tokens.Link[] {
  return tokens.flatMap((token) => {
    if (token.type === 'link') return [token as Tokens.Link];
    const inside = token.type === 'list' ? (token as Tokens.List).items : [];
    return linksIn([...inside, ...('tokens' in token ? (token.tokens ?? []) : [])]);
  });
}

/** A title begins with a capital letter, also where its link is inside a sentence. */
function titled(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1).replaceAll('`', '').replaceAll('\n', ' ');
}

export function chaptersOf(contents: string, names: ReadonlySet<string>): Chapter[] {
  const chapters: { title: string; goals: Goal[] }[] = [];
  for (const token of marked.lexer(contents)) {
    if (token.type === 'heading' && (token as Tokens.Heading).depth === 2) {
      chapters.push({ title: (token as Tokens.Heading).text, goals: [] });
      continue;
    }
    const goals = linksIn([token]).map(({ href, text }) => ({
      name: nameOf(posix.normalize(posix.join('docs', href.split('#')[0]!))),
      title: titled(text),
    }));
    const last = chapters.at(-1);
    const isNew = ({ name }: Goal): boolean => !last!.goals.some((goal) => goal.name === name);
    if (last !== undefined) {
      last.goals.push(...goals.filter((goal) => names.has(goal.name) && isNew(goal)));
    }
  }
  return chapters.filter(({ goals }) => goals.length > 0);
}
