import { useEffect, useRef } from 'preact/hooks';
import { line, watchEverything } from './activity.ts';
import { apiKey, forgetKey, isKeyWanted } from './api.ts';
import { entries, type Entry } from './entries.tsx';
import { askOffers, types } from './offers.ts';
import { askSettings, settings } from './page-settings.ts';
import { JobPage } from './pages/job.tsx';
import { isUtc, switchClock } from './parts/clock.ts';
import { Empty, Toast } from './parts/notice.tsx';
import { Shortcuts } from './parts/shortcuts.tsx';
import { SignInForm } from './parts/sign-in-form.tsx';
import { hrefOf, partsOf, place } from './route.ts';
import { isSigningIn } from './sign-in.ts';

function Foot() {
  return (
    <div class="foot">
      <span class={line.value === 'up' ? 'good' : 'warn'}>
        <span class="dot" />
        {line.value === 'up' ? 'live' : 'connecting…'}
      </span>
      <span>
        <a href="./docs">API</a> · <kbd>?</kbd> keys ·{' '}
        <button class="plain" onClick={switchClock} title="By which clock times are shown">
          {isUtc.value ? 'UTC' : 'local time'}
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

function Side({ shown, current }: { readonly shown: readonly Entry[]; readonly current: string }) {
  const menu = useRef<HTMLElement>(null);
  // On a narrow screen the menu is a strip that shows a part of itself.
  useEffect(() => {
    const entry = menu.current?.querySelector('[aria-current]');
    entry?.scrollIntoView({ block: 'nearest', inline: 'nearest' });
  }, [current, shown.length]);
  return (
    <nav class="side" aria-label="Pages" ref={menu}>
      <a class="brand" href={hrefOf([])}>
        <img src="./mark.svg" alt="" /> Pawl
      </a>
      {shown.map(({ path, title }) => (
        <a
          key={path}
          class="entry"
          href={hrefOf(partsOf(path))}
          aria-current={path === current ? 'page' : undefined}
        >
          {title}
        </a>
      ))}
      <Foot />
    </nav>
  );
}

/** Says that what is shown may be old; it goes by itself. */
function LostLine() {
  return line.value === 'lost' ? (
    <div class="lost" role="status">
      The connection is lost. Trying again; what is shown is the last that was known.
    </div>
  ) : null;
}

function Page({ entry, name, id }: { entry: Entry | undefined; name: string; id?: string }) {
  if (name === 'jobs' && id !== undefined) return <JobPage id={id} key={id} />;
  if (entry !== undefined) return <entry.page />;
  const isUnknown = types.value === null || (name === 'plugins' && settings.value === null);
  if (isUnknown) return <Empty title="Looking…" />;
  return (
    <Empty title="There is no such page">
      <a href={hrefOf([])}>To the overview</a>
    </Empty>
  );
}

/** The whole page: a menu, and what it leads to. */
export function App() {
  const [name = '', id] = place.value.parts;
  const shown = entries();
  const current = name === 'plugins' ? `${name}/${id}` : name;
  const entry = shown.find(({ path }) => path === current);
  useEffect(() => {
    document.title = entry === undefined ? 'Pawl' : `${entry.title} · Pawl`;
  }, [entry]);
  useEffect(() => {
    askSettings().catch(() => undefined);
  }, []);
  if (isSigningIn.value) return <Empty title="Signing in…" />;
  if (isKeyWanted.value) return <SignInForm />;
  watchEverything(apiKey.value);
  askOffers(apiKey.value);
  return (
    <div class="frame">
      <a class="skip" href="#main" onClick={skipMenu}>
        Skip the menu
      </a>
      <Side shown={shown} current={current} />
      <main id="main" tabIndex={-1}>
        <LostLine />
        <Page entry={entry} name={name} {...(id === undefined ? {} : { id })} />
      </main>
      <Shortcuts goals={shown} />
      <Toast />
    </div>
  );
}

/** Not by its address, which is where the page is named. */
function skipMenu(event: Event): void {
  event.preventDefault();
  document.querySelector<HTMLElement>('main')?.focus();
}
