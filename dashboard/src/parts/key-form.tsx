import { useKey } from '../api.ts';

/** Asks for an API key, which stays in this tab. */
export function KeyForm() {
  return (
    <main>
      <form
        class="card stack"
        style={{ maxWidth: '28rem', margin: '12vh auto' }}
        onSubmit={(event) => {
          event.preventDefault();
          const key = new FormData(event.currentTarget).get('key');
          if (typeof key === 'string' && key !== '') useKey(key.trim());
        }}
      >
        <h1>Pawl</h1>
        <p class="quiet" style={{ margin: 0 }}>
          This server wants an API key. Make one with <code>pawl keys create</code>; the first one
          is in the file that the server named when it started.
        </p>
        <input name="key" type="password" placeholder="pawl_…" autoComplete="off" autofocus />
        <button class="main">Go on</button>
      </form>
    </main>
  );
}
