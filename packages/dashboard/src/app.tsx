import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { line, watchEverything } from './activity.ts';
import { apiKey, forgetKey, isKeyWanted } from './api.ts';
import { isCompact, switchDensity } from './density.ts';
import { detailOf, entries, type Entry, isPage } from './entries.tsx';
import { askMe, isMeKnown, me, seesAll } from './me.ts';
import { askOffers, types } from './offers.ts';
import { askSettings, settings } from './page-settings.ts';
import { isUtc, switchClock } from './parts/clock.ts';
import { Icon } from './parts/icon.tsx';
import { Empty, Toast } from './parts/notice.tsx';
import { isPaletteOpen, Palette } from './parts/palette.tsx';
import { Shortcuts } from './parts/shortcuts.tsx';
import { SignInForm } from './parts/sign-in-form.tsx';
import { hrefOf, place } from './route.ts';
import { isSigningIn } from './sign-in.ts';
import { ownTitle } from './title.ts';

function Foot() {
  return (
    <div class="foot">
      <span class={line.value === 'up' ? 'good' : 'warn'}>
        <span class="dot" />
        {line.value === 'up' ? 'live' : 'connecting…'}
      </span>
      {me.value !== null && me.value.principal !== null && (
        <span class="breaks" title="Your credential">
          {me.value.principal} · {me.value.tenant}
        </span>
      )}
      <span>
        <a href="./docs">API</a> · <kbd>?</kbd> keys ·{' '}
        <button class="plain" onClick={switchClock} title="Clock for times">
          {isUtc.value ? 'UTC' : 'local time'}
        </button>
      </span>
      <span>
        <button class="plain" onClick={switchDensity} title="Row density">
          {isCompact.value ? 'compact rows' : 'comfortable rows'}
        </button>
        {apiKey.value !== null && (
          <>
            {' · '}
            <button class="plain" onClick={forgetKey}>
              sign out
            </button>
          </>
        )}
      </span>
    </div>
  );
}

function MenuEntry({ entry, isCurrent }: { readonly entry: Entry; readonly isCurrent: boolean }) {
  return (
    <a class="entry" href={entry.href} aria-current={isCurrent ? 'page' : undefined}>
      <Icon name={entry.icon} />
      {entry.title}
    </a>
  );
}

/** Pages of single things belong to the list that they are reached from. */
const MENU_OF: Readonly<Record<string, string>> = { types: 'queues' };

function Side({ shown, current }: { readonly shown: readonly Entry[]; readonly current: string }) {
  const isOpen = useSignal(false);
  useEffect(() => {
    isOpen.value = false;
  }, [place.value]);
  return (
    <nav class={isOpen.value ? 'side open' : 'side'} aria-label="Pages">
      <div class="top">
        <a class="brand" href={hrefOf([])}>
          <img src="./mark.svg" alt="" /> Pawl
        </a>
        <button class="find" onClick={() => (isPaletteOpen.value = true)}>
          <span class="row tight">
            <Icon name="search" /> Find
          </span>
          <kbd class="wide-only">Ctrl K</kbd>
        </button>
        <button
          class="menu"
          aria-expanded={isOpen.value}
          onClick={() => (isOpen.value = !isOpen.value)}
        >
          <Icon name={isOpen.value ? 'close' : 'menu'} /> Menu
        </button>
      </div>
      {[...Map.groupBy(shown, ({ group }) => group)].map(([group, own]) => [
        <h2 key={group}>{group}</h2>,
        ...own.map((entry) => (
          <MenuEntry
            key={entry.path}
            entry={entry}
            isCurrent={entry.path === (MENU_OF[current] ?? current)}
          />
        )),
      ])}
      <Foot />
    </nav>
  );
}

/** Says that what is shown may be old; it goes by itself. */
function LostLine() {
  return line.value === 'lost' ? (
    <div class="lost" role="status">
      Connection lost. Reconnecting; the page shows the last known state.
    </div>
  ) : null;
}

function Page({ entry, name, id }: { entry: Entry | undefined; name: string; id?: string }) {
  const One = detailOf(name);
  if (One !== undefined && id !== undefined) return <One id={id} key={id} />;
  const Shown = entry?.page ?? null;
  if (Shown !== null) return <Shown key={entry?.path} />;
  const isUnknown = types.value === null || (name === 'plugins' && settings.value === null);
  if (isUnknown) return <Empty title="Loading…" />;
  if (!seesAll() && (isPage(name) || id !== undefined)) {
    return (
      <Empty title="Not for your role">
        This page is about jobs of everybody. You see your own jobs and those shared with you.{' '}
        <a href={hrefOf(['jobs'])}>To your jobs</a>
      </Empty>
    );
  }
  return (
    <Empty title="Page not found">
      <a href={hrefOf([])}>Back to the overview</a>
    </Empty>
  );
}

/** The whole page: a menu, and what it leads to. */
export function App() {
  const [name = '', id] = place.value.parts;
  const shown = entries();
  // The overview is of everybody's jobs.
  const isHomeOfUser = name === '' && !seesAll();
  const current = name === 'plugins' ? `${name}/${id}` : isHomeOfUser ? 'jobs' : name;
  const entry = shown.find(({ path }) => path === current);
  const title = ownTitle.value ?? entry?.title;
  useEffect(() => {
    document.title = title === undefined ? 'Pawl' : `${title} · Pawl`;
  }, [title]);
  useEffect(() => {
    askSettings().catch(() => undefined);
  }, []);
  if (isSigningIn.value) return <Empty title="Signing in…" />;
  if (isKeyWanted.value) return <SignInForm />;
  watchEverything(apiKey.value);
  askMe(apiKey.value);
  askOffers(apiKey.value);
  return (
    <div class="frame">
      <a class="skip" href="#main" onClick={skipMenu}>
        Skip to content
      </a>
      <Side shown={shown} current={current} />
      <main id="main" tabIndex={-1}>
        <LostLine />
        {apiKey.value !== null && !isMeKnown.value ? (
          <Empty title="Loading…" />
        ) : (
          <Page entry={entry} name={name} {...(id === undefined ? {} : { id })} />
        )}
      </main>
      <Shortcuts goals={shown} />
      <Palette pages={shown} />
      <Toast />
    </div>
  );
}

/** Not by its address, which is where the page is named. */
function skipMenu(event: Event): void {
  event.preventDefault();
  document.querySelector<HTMLElement>('main')?.focus();
}
