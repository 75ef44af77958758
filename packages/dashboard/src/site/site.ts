// The script of a page of the documentation: theme, menu, versions, copy buttons, search.
import './site.css';
import { openSearch } from './search-dialog.ts';

interface SiteFacts {
  readonly versions: readonly string[];
  readonly dashboard: string | null;
}

const THEME = 'pawl-theme';
const { dataset } = document.documentElement;
const root = new URL(dataset['root'] ?? './', location.href);

function followTheme(): void {
  const choice = document.querySelector<HTMLSelectElement>('[data-theme-choice]');
  if (choice === null) return;
  choice.value = dataset['theme'] ?? '';
  choice.addEventListener('change', () => {
    if (choice.value === '') {
      delete dataset['theme'];
      localStorage.removeItem(THEME);
    } else {
      dataset['theme'] = choice.value;
      localStorage.setItem(THEME, choice.value);
    }
  });
}

function followMenu(): void {
  const button = document.querySelector<HTMLButtonElement>('[data-menu]');
  const side = document.querySelector('.side');
  button?.addEventListener('click', () => {
    const isOpen = side?.classList.toggle('open') ?? false;
    button.setAttribute('aria-expanded', String(isOpen));
  });
  side?.querySelector('.entry[aria-current]')?.scrollIntoView({ block: 'nearest' });
}

/** The same page of another version where it has one, else its first page. */
async function goToVersion(version: string): Promise<void> {
  const there = new URL(`../${version}/`, root);
  const page = new URL(`${dataset['page']}.html`, there);
  const { ok } = await fetch(page, { method: 'HEAD' });
  location.assign(ok ? page : new URL('index.html', there));
}

function offerVersions(versions: readonly string[], current: string): void {
  const place = document.querySelector('[data-versions]');
  if (place === null || versions.length < 2) return;
  const select = document.createElement('select');
  select.append(...versions.map((one) => new Option(one, one, one === current, one === current)));
  select.addEventListener('change', () => void goToVersion(select.value));
  const label = document.createElement('label');
  label.append('Version ', select);
  place.replaceChildren(label);
}

function offerDashboard(dashboard: string): void {
  const link = document.createElement('a');
  link.href = new URL(dashboard, root).href;
  link.textContent = 'Dashboard';
  document.querySelector('.side .foot')?.prepend(link);
}

async function askFacts(): Promise<void> {
  const answer = await fetch(new URL('site.json', root));
  if (!answer.ok) return;
  const { versions, dashboard } = (await answer.json()) as SiteFacts;
  offerVersions(versions, dataset['version'] ?? '');
  if (dashboard !== null) offerDashboard(dashboard);
}

function offerCopies(): void {
  for (const block of document.querySelectorAll<HTMLElement>('.code')) {
    const button = document.createElement('button');
    button.type = 'button';
    button.textContent = 'Copy';
    button.addEventListener('click', () => {
      void navigator.clipboard
        .writeText(block.querySelector('code')?.textContent ?? '')
        .then(() => (button.textContent = 'Copied'));
    });
    block.append(button);
  }
}

function followSearch(): void {
  const open = (): void => openSearch(root);
  document.querySelector('[data-search]')?.addEventListener('click', open);
  addEventListener('keydown', (event) => {
    const isTyping = event.target instanceof HTMLElement && event.target.matches('input, select');
    const isCommand = event.key === 'k' && (event.ctrlKey || event.metaKey);
    if (!isCommand && (event.key !== '/' || isTyping)) return;
    event.preventDefault();
    open();
  });
}

followTheme();
followMenu();
offerCopies();
followSearch();
askFacts().catch(() => undefined);
