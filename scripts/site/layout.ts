// A page of the site around its document: menu, headings, neighbours.
import { escaped } from './highlight.ts';
import type { Heading } from './markdown.ts';
import type { Chapter, Goal } from './menu.ts';

export interface SitePage {
  readonly name: string;
  readonly title: string;
  readonly html: string;
  readonly headings: readonly Heading[];
  /** Where the root of the site is from here. */
  readonly root: string;
}

export interface Frame {
  readonly chapters: readonly Chapter[];
  readonly version: string;
}

const SEARCH = '<path d="M10.5 4a6.5 6.5 0 1 1 0 13 6.5 6.5 0 0 1 0-13zM15.5 15.5 20 20"/>';
const MENU = '<path d="M4 7h16M4 12h16M4 17h16"/>';

function icon(path: string): string {
  return `<svg class="icon" viewBox="0 0 24 24" aria-hidden="true">${path}</svg>`;
}

function entry({ name, title }: Goal, { root, name: current }: SitePage): string {
  const mark = name === current ? ' aria-current="page"' : '';
  return `<a class="entry" href="${root}${name}.html"${mark}>${escaped(title)}</a>`;
}

function chapter({ title, goals }: Chapter, page: SitePage): string {
  const isOpen = goals.some(({ name }) => name === page.name);
  const links = goals.map((goal) => entry(goal, page)).join('\n');
  const summary = `<summary>${escaped(title)}</summary>`;
  return `<details${isOpen ? ' open' : ''}>${summary}\n${links}</details>`;
}

function side(page: SitePage, { chapters, version }: Frame): string {
  const { root } = page;
  return `<nav class="side" aria-label="Pages">
<div class="top">
<a class="brand" href="${root}index.html"><img src="${root}mark.svg" alt=""> Pawl</a>
<button class="find" type="button" data-search>
<span class="row tight">${icon(SEARCH)} Search</span><kbd class="wide-only">Ctrl K</kbd>
</button>
<button class="menu" type="button" aria-expanded="false" data-menu>${icon(MENU)} Menu</button>
</div>
${entry({ name: 'contents', title: 'All pages' }, page)}
${chapters.map((one) => chapter(one, page)).join('\n')}
<div class="foot">
<span data-versions>Version ${escaped(version)}</span>
<label>Theme <select data-theme-choice>
<option value="">System</option><option value="light">Light</option>
<option value="dark">Dark</option>
</select></label>
</div>
</nav>`;
}

function contents({ headings }: SitePage): string {
  const shown = headings.filter(({ depth }) => depth === 2 || depth === 3);
  if (shown.length < 2) return '<div class="toc"></div>';
  const isLong = shown.length > 30;
  const links = shown
    .filter(({ depth }) => !isLong || depth === 2)
    .map(
      ({ depth, anchor, text }) => `<a class="d${depth}" href="#${anchor}">${escaped(text)}</a>`,
    );
  const heading = '<h2>On this page</h2>';
  return `<nav class="toc" aria-label="On this page">${heading}\n${links.join('\n')}</nav>`;
}

/** The page before and the page after, in the order of the menu. */
function neighbours({ name, root }: SitePage, { chapters }: Frame): string {
  const goals = chapters.flatMap((one) => one.goals);
  const at = goals.findIndex((goal) => goal.name === name);
  if (at < 0) return '';
  const link = (goal: Goal | undefined, rel: string, word: string): string => {
    if (goal === undefined) return '<span></span>';
    const text = `<small>${word}</small> ${escaped(goal.title)}`;
    return `<a rel="${rel}" href="${root}${goal.name}.html">${text}</a>`;
  };
  const links = link(goals[at - 1], 'prev', 'Previous') + link(goals[at + 1], 'next', 'Next');
  return `<nav class="neighbours" aria-label="Neighbouring pages">${links}</nav>`;
}

export function pageHtml(page: SitePage, frame: Frame): string {
  const { root, name, title } = page;
  const shown = name === 'index' ? 'Pawl: durable jobs in TypeScript' : `${title} · Pawl`;
  return `<!doctype html>
<html lang="en" data-root="${root}" data-page="${name}" data-version="${escaped(frame.version)}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${escaped(shown)}</title>
<link rel="icon" href="${root}mark.svg" type="image/svg+xml">
<link rel="stylesheet" href="${root}site.css">
<script src="${root}theme.js"></script>
<script type="module" src="${root}site.js"></script>
</head>
<body>
<a class="skip" href="#main">Skip to content</a>
<div class="frame">
${side(page, frame)}
<div class="page">
<main id="main" tabindex="-1"><article class="guide">
${page.html}</article>
${neighbours(page, frame)}</main>
${contents(page)}
</div>
</div>
</body>
</html>
`;
}
