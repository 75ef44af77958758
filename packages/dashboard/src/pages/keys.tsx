import { useSignal } from '@preact/signals';
import type { KeyJson } from '../../../pawl/src/contract/access-key.ts';
import { send, getAll } from '../api.ts';
import { useLoaded } from '../load.ts';
import { now } from '../now.ts';
import { Action } from '../parts/action.tsx';
import { Ago } from '../parts/ago.tsx';
import { Confirm } from '../parts/confirm.tsx';
import { GuideLink } from '../parts/guide-link.tsx';
import { Empty, say } from '../parts/notice.tsx';
import { Shown } from '../parts/shown.tsx';
import { KeyForm } from './keys/form.tsx';
import { type MadeKey, MadeKeyDialog } from './keys/made.tsx';

type Asked = { readonly what: 'rotate' | 'revoke'; readonly key: KeyJson };

function standing(key: KeyJson): readonly [word: string, level: string] {
  if (key.revokedAt !== null) return ['revoked', 'cancelled'];
  const isOver = key.expiresAt !== null && Date.parse(key.expiresAt) <= now.value;
  if (isOver) return ['expired', 'cancelled'];
  return key.replacedBy === null ? ['good', 'succeeded'] : ['rotated, still valid', 'waiting'];
}

/** The newest first. */
function byAge(one: KeyJson, other: KeyJson): number {
  return Date.parse(other.createdAt) - Date.parse(one.createdAt);
}

function KeyRow({ own, ask }: { readonly own: KeyJson; readonly ask: (asked: Asked) => void }) {
  const [word, level] = standing(own);
  const isUsable = level !== 'cancelled';
  return (
    <tr>
      <td class="long breaks">
        <b>{own.name}</b>
        <div class="quiet mono">{own.id}</div>
      </td>
      <td>
        <span class={`state ${level}`}>{word}</span>
      </td>
      <td class="grow">
        {own.roles.join(', ')}
        {own.scopes !== null && <div class="quiet">only {own.scopes.join(', ')}</div>}
        {own.groups.length > 0 && <div class="quiet">in {own.groups.join(', ')}</div>}
        {own.queues !== null && <div class="quiet">claims from {own.queues.join(', ')}</div>}
      </td>
      <td class="clock" data-label="last used">
        {own.lastUsedAt === null ? <span class="quiet">never</span> : <Ago time={own.lastUsedAt} />}
      </td>
      <td class="clock" data-label="expires">
        {own.expiresAt === null ? <span class="quiet">never</span> : <Ago time={own.expiresAt} />}
      </td>
      <td class="clock wide-only">
        <Ago time={own.createdAt} />
      </td>
      <td>
        {isUsable && (
          <div class="row tight act">
            {own.replacedBy === null && (
              <Action needs="keys:admin" onClick={() => ask({ what: 'rotate', key: own })}>
                Rotate…
              </Action>
            )}
            <Action
              needs="keys:admin"
              class="danger"
              onClick={() => ask({ what: 'revoke', key: own })}
            >
              Revoke…
            </Action>
          </div>
        )}
      </td>
    </tr>
  );
}

interface AskGiven {
  readonly asked: Asked;
  readonly onMade: (made: MadeKey) => void;
  readonly onClose: () => void;
  readonly onDone: () => void;
}

function Ask({ asked: { what, key }, onMade, onClose, onDone }: AskGiven) {
  const isRotation = what === 'rotate';
  const run = async (): Promise<void> => {
    const path = `./v1/keys/${encodeURIComponent(key.id)}/${what}`;
    const answer = await send<MadeKey>('POST', path, {});
    if (isRotation) onMade(answer);
    else say(`${key.name} is revoked`);
    onDone();
  };
  return (
    <Confirm
      title={`${isRotation ? 'Rotate' : 'Revoke'} ${key.name}?`}
      action={isRotation ? 'Rotate key' : 'Revoke key'}
      isDanger={!isRotation}
      onConfirm={run}
      onClose={onClose}
    >
      <p>
        {isRotation
          ? 'A new key with the same permissions is created and shown once. The old key stays valid for a day, so that its users can switch.'
          : 'All servers reject it within 5 seconds. This cannot be undone.'}
      </p>
      <p class="quiet">
        {key.lastUsedAt === null ? (
          'It has never been used.'
        ) : (
          <>
            It was last used <Ago time={key.lastUsedAt} />.
          </>
        )}
      </p>
    </Confirm>
  );
}

function Keys({ items, ask }: { items: readonly KeyJson[]; ask: (asked: Asked) => void }) {
  return (
    <section class="card scroll" aria-label="API keys" tabIndex={0}>
      <table class="rows">
        <thead>
          <tr>
            <th>Key</th>
            <th>State</th>
            <th>Roles</th>
            <th>Last used</th>
            <th>Expires</th>
            <th class="wide-only">Created</th>
            <th>
              <span class="unseen">Actions</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {items.toSorted(byAge).map((key) => (
            <KeyRow key={key.id} own={key} ask={ask} />
          ))}
        </tbody>
      </table>
    </section>
  );
}

/** The tenant's API keys: who may do what, and which are still used. */
export function KeysPage() {
  const page = useLoaded(() => getAll<KeyJson>('./v1/keys'), [], { everyMs: 10_000 });
  const asked = useSignal<Asked | null>(null);
  const made = useSignal<MadeKey | null>(null);
  const isMaking = useSignal(false);
  const show = (key: MadeKey): void => {
    made.value = key;
    page.reload();
  };
  return (
    <>
      <div class="head">
        <h1>Keys</h1>
        <Action needs="keys:admin" class="main" onClick={() => (isMaking.value = true)}>
          New key…
        </Action>
      </div>
      <Shown of={page}>
        {({ items }) =>
          items.length === 0 ? (
            <Empty title="No keys">
              A key lets a program use the API, as far as its roles allow.
              <GuideLink to="operate/access">Roles and permissions</GuideLink>
            </Empty>
          ) : (
            <Keys items={items} ask={(one) => (asked.value = one)} />
          )
        }
      </Shown>
      {isMaking.value && <KeyForm onMade={show} onClose={() => (isMaking.value = false)} />}
      {asked.value !== null && (
        <Ask
          asked={asked.value}
          onMade={show}
          onClose={() => (asked.value = null)}
          onDone={page.reload}
        />
      )}
      {made.value !== null && (
        <MadeKeyDialog made={made.value} onClose={() => (made.value = null)} />
      )}
    </>
  );
}
