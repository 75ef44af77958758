import type { SearchIndex } from '../../../../scripts/site/search-index.ts';
import { findSections, type Found } from './find-sections.ts';

/** Loaded with the first search. */
let index: Promise<SearchIndex> | null = null;

async function load(root: URL): Promise<SearchIndex> {
  const answer = await fetch(new URL('search.json', root));
  if (!answer.ok) throw new Error(`the search index was not found (${answer.status})`);
  return (await answer.json()) as SearchIndex;
}

function element<Name extends keyof HTMLElementTagNameMap>(
  name: Name,
  facts: Readonly<Record<string, string>> = {},
  ...children: readonly (Node | string)[]
): HTMLElementTagNameMap[Name] {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(facts)) made.setAttribute(key, value);
  made.append(...children);
  return made;
}

/** The text with the words that were looked for marked; built from nodes, so that it stays text. */
function marked(text: string, query: string): Node[] {
  const words = query
    .split(/\s+/)
    .filter(Boolean)
    .map((word) => RegExp.escape(word));
  return text
    .split(new RegExp(`(${words.join('|')})`, 'i'))
    .map((part, at) => (at % 2 === 1 ? element('mark', {}, part) : new Text(part)));
}

function option(found: Found, at: number, root: URL, query: string): HTMLElement {
  const name = found.heading === found.page ? found.page : `${found.page} › ${found.heading}`;
  return element(
    'a',
    { role: 'option', id: `hit-${at}`, href: new URL(found.href, root).href, tabindex: '-1' },
    element('b', {}, ...marked(name, query)),
    element('span', { class: 'quiet' }, ...marked(found.excerpt, query)),
  );
}

class SearchDialog {
  readonly #root: URL;
  readonly #input = element('input', {
    type: 'text',
    role: 'combobox',
    'aria-label': 'Search the documentation',
    'aria-controls': 'hits',
    'aria-expanded': 'true',
    'aria-autocomplete': 'list',
    placeholder: 'Search the documentation',
    autocomplete: 'off',
  });
  readonly #hits = element('div', {
    class: 'hits',
    role: 'listbox',
    id: 'hits',
    'aria-label': 'Results',
  });
  readonly #state = element('p', { class: 'foot', role: 'status' });
  readonly #dialog = element(
    'dialog',
    { class: 'palette', 'aria-label': 'Search' },
    this.#input,
    this.#hits,
    this.#state,
  );
  #chosen = 0;

  constructor(root: URL) {
    this.#root = root;
    this.#input.addEventListener('input', () => void this.#search());
    this.#dialog.addEventListener('keydown', (event) => this.#onKey(event));
    this.#dialog.addEventListener('click', ({ target }) => {
      // The backdrop is the dialog itself; a result on the same page leads to a place behind it.
      const isHit = target instanceof Element && target.closest('[role=option]') !== null;
      if (target === this.#dialog || isHit) this.#dialog.close();
    });
    document.body.append(this.#dialog);
  }

  open(): void {
    if (this.#dialog.open) return;
    this.#dialog.showModal();
    this.#input.select();
    void this.#search();
  }

  async #search(): Promise<void> {
    const query = this.#input.value.trim();
    try {
      index ??= load(this.#root);
      const found = findSections(await index, query);
      if (query === this.#input.value.trim()) this.#show(found, query);
    } catch {
      index = null;
      this.#state.textContent = 'The search index could not be loaded. Try again.';
    }
  }

  #show(found: readonly Found[], query: string): void {
    const options = found.map((one, at) => option(one, at, this.#root, query));
    this.#hits.replaceChildren(...options);
    this.#choose(0);
    if (query === '')
      this.#state.textContent = 'Type a word: a setting, an error, a method, a guide.';
    else if (found.length === 0) this.#state.textContent = `No results for “${query}”.`;
    else
      this.#state.textContent = `${found.length} results · ↑ ↓ choose · Enter opens · Esc closes`;
  }

  #choose(at: number): void {
    const options = [...this.#hits.children];
    this.#chosen = Math.max(0, Math.min(at, options.length - 1));
    for (const [number, one] of options.entries()) {
      one.setAttribute('aria-selected', String(number === this.#chosen));
    }
    options[this.#chosen]?.scrollIntoView({ block: 'nearest' });
    if (options.length === 0) this.#input.removeAttribute('aria-activedescendant');
    else this.#input.setAttribute('aria-activedescendant', `hit-${this.#chosen}`);
  }

  #onKey(event: KeyboardEvent): void {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step !== undefined) this.#choose(this.#chosen + step);
    else if (event.key === 'Enter') {
      this.#hits.querySelectorAll<HTMLAnchorElement>('[role=option]')[this.#chosen]?.click();
    } else return;
    event.preventDefault();
  }
}

let dialog: SearchDialog | null = null;

export function openSearch(root: URL): void {
  dialog ??= new SearchDialog(root);
  dialog.open();
}
