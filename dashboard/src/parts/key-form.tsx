import { apiKey, useKey } from '../api.ts';
import { Field } from './field.tsx';
import { valuesOf } from './form-values.ts';

/** Asks for an API key, which stays in this tab. */
export function KeyForm() {
  return (
    <main>
      <form
        class="card stack lone"
        onSubmit={(event) => {
          event.preventDefault();
          const { key = '' } = valuesOf(event.currentTarget);
          if (key !== '') useKey(key);
        }}
      >
        <h1>Pawl</h1>
        {apiKey.value !== null && (
          <div class="problem" role="alert">
            <b>This key is not accepted</b>
            <div class="quiet">It may have been revoked, or cut off when it was copied.</div>
          </div>
        )}
        <p>
          This server wants an API key, or the token of your identity provider. Make a key with{' '}
          <code>pawl keys create</code>; the first one is in the file that the server named when it
          started.
        </p>
        <Field title="API key">
          <input name="key" type="password" placeholder="pawl_…" autoComplete="off" autofocus />
        </Field>
        <button class="main">Sign in</button>
      </form>
    </main>
  );
}
