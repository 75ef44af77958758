import type { SignInSettings } from '../../../pawl/src/contract/page.ts';
import { apiKey, useKey } from '../api.ts';
import { settings } from '../page-settings.ts';
import { beginSignIn, signInFault } from '../sign-in.ts';
import { Field } from './field.tsx';
import { valuesOf } from './form-values.ts';

/** Keys are made here; what else is refused came from an identity provider. */
const KEY_PREFIX = 'pawl_';

function Refusal() {
  const fault = signInFault.value;
  const key = apiKey.value;
  if (fault === null && key === null) return null;
  const isKey = key?.startsWith(KEY_PREFIX) ?? false;
  return (
    <div class="problem" role="alert">
      {fault !== null && <b>{fault}</b>}
      {fault === null && isKey && (
        <>
          <b>This key is not accepted</b>
          <div class="quiet">It may have been revoked, or cut off when it was copied.</div>
        </>
      )}
      {fault === null && !isKey && (
        <>
          <b>This sign-in is not valid or has expired</b>
          <div class="quiet">
            Sign in again. If that does not help, your account may lack a tenant or a role here.
          </div>
        </>
      )}
    </div>
  );
}

function AtProvider({ signIn }: { readonly signIn: SignInSettings }) {
  return (
    <>
      <button class="main" type="button" onClick={() => void beginSignIn(signIn)}>
        Sign in at {new URL(signIn.issuer).host}
      </button>
      <p class="quiet">or with an API key</p>
    </>
  );
}

/** Asks who is there: by an API key, or by an identity provider where there is one. */
export function SignInForm() {
  const signIn = settings.value?.signIn ?? null;
  return (
    <main class="gate">
      <form
        class="card stack lone"
        onSubmit={(event) => {
          event.preventDefault();
          const { key = '' } = valuesOf(event.currentTarget);
          signInFault.value = null;
          if (key !== '') useKey(key);
        }}
      >
        <h1>Pawl</h1>
        <Refusal />
        {signIn !== null && <AtProvider signIn={signIn} />}
        <p>
          Create a key with <code>pawl keys create</code>; the first one is in the file that the
          server named when it started. It stays in this tab.
        </p>
        <Field title="API key">
          <input name="key" type="password" placeholder="pawl_…" autoComplete="off" autofocus />
        </Field>
        <button class={signIn === null ? 'main' : ''}>Sign in</button>
      </form>
    </main>
  );
}
