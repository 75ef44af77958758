import { useEffect } from 'preact/hooks';
import { guides } from 'virtual:guides';
import type { Block, Guide, Inline } from '../../../../../scripts/guides/guide.ts';
import { useLoaded } from '../../load.ts';
import { Empty } from '../../parts/notice.tsx';
import { Shown } from '../../parts/shown.tsx';
import { place } from '../../route.ts';
import { Content, guideHref } from './content.tsx';
import './guides.css';

interface Goal {
  readonly name: string;
  readonly title: string;
}

interface Chapter {
  readonly title: string;
  readonly goals: readonly Goal[];
}

function goalsIn(parts: readonly Inline[]): Goal[] {
  return parts.flatMap((part) => {
    if (typeof part === 'string' || part.kind !== 'link' || part.to.kind !== 'guide') return [];
    const [title] = part.parts;
    return typeof title === 'string' ? [{ name: part.to.name, title }] : [];
  });
}

function goalsOf(block: Block): Goal[] {
  if (block.kind === 'text') return goalsIn(block.parts);
  return block.kind === 'list' ? block.items.flat().flatMap(goalsOf) : [];
}

/** The page of contents is a list of what there is, under headings: so it is the menu too. */
function chaptersOf({ blocks }: Guide): Chapter[] {
  const chapters: { title: string; goals: Goal[] }[] = [];
  for (const block of blocks) {
    if (block.kind === 'heading' && block.depth === 2) {
      const [title] = block.parts;
      chapters.push({ title: typeof title === 'string' ? title : '', goals: [] });
    } else chapters.at(-1)?.goals.push(...goalsOf(block));
  }
  return chapters.filter(({ goals }) => goals.length > 0);
}

function Menu({ of, current }: { readonly of: Guide; readonly current: string }) {
  return (
    <nav class="chapters" aria-label="Guides">
      <a href={guideHref('')} aria-current={current === '' ? 'page' : undefined}>
        All guides
      </a>
      {chaptersOf(of).map(({ title, goals }) => (
        <details key={title} open={goals.some(({ name }) => name === current)}>
          <summary>{title}</summary>
          {goals.map(({ name, title: text }) => (
            <a
              key={name}
              href={guideHref(name)}
              aria-current={name === current ? 'page' : undefined}
            >
              {text}
            </a>
          ))}
        </details>
      ))}
    </nav>
  );
}

interface Opened {
  readonly name: string;
  readonly contents: Guide;
  readonly guide: Guide | null;
}

async function load(name: string): Promise<Opened> {
  const [contents, one] = await Promise.all([guides['']!(), guides[name]?.()]);
  return { name, contents: contents.guide, guide: one?.guide ?? null };
}

function Article({ guide, at }: { readonly guide: Guide; readonly at: string | null }) {
  useEffect(() => {
    document.title = `${guide.title} · Guides · Pawl`;
    const goal = at === null ? null : document.getElementById(`at-${at}`);
    if (goal !== null) goal.scrollIntoView();
    else scrollTo(0, 0);
  }, [guide, at]);
  return (
    <article class="guide card">
      <a class="to-all" href={guideHref('')}>
        All guides
      </a>
      <Content blocks={guide.blocks} />
    </article>
  );
}

/** A guide, beside the list of all of them. */
export function Reader() {
  const { parts, query } = place.value;
  const wanted = parts.slice(1).join('/');
  const loaded = useLoaded(() => load(wanted), [wanted]);
  return (
    <Shown of={loaded}>
      {({ name, contents, guide }) => (
        <div class="guides">
          <Menu of={contents} current={name} />
          {guide === null ? (
            <Empty title="Guide not found">
              <a href={guideHref('')}>To all guides</a>
            </Empty>
          ) : (
            <Article guide={guide} at={query.get('at')} key={name} />
          )}
        </div>
      )}
    </Shown>
  );
}
