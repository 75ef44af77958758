import { useSignal } from '@preact/signals';
import type { WebhookJson } from '../../../pawl/src/contract/webhook.ts';
import { get, send } from '../api.ts';
import { useLoaded } from '../load.ts';
import type { Page } from '../page.ts';
import { Ago } from '../parts/ago.tsx';
import { GuideLink } from '../parts/guide-link.tsx';
import { act, Empty } from '../parts/notice.tsx';
import { Shown } from '../parts/shown.tsx';
import { Deliveries } from './webhooks/deliveries.tsx';
import { WebhookForm } from './webhooks/form.tsx';
import { type MadeSecret, SecretDialog } from './webhooks/secret.tsx';

interface Given {
  readonly webhook: WebhookJson;
  readonly onDone: () => void;
  readonly onSecret: (made: MadeSecret) => void;
}

function Actions({ webhook, onDone, onSecret }: Given) {
  const path = `./v1/webhooks/${webhook.id}`;
  const { enabled } = webhook;
  const ask = async (what: () => Promise<unknown>, done: string): Promise<void> => {
    await act(what, done);
    onDone();
  };
  const rotate = async (): Promise<void> => {
    const { url, secret } = await send<MadeSecret>('POST', `${path}/rotate`, {});
    onSecret({ url, secret });
  };
  return (
    <div class="row">
      <button
        onClick={() => void ask(() => send('POST', `${path}/test`, {}), 'Test is on its way')}
      >
        Send a test
      </button>
      <button
        onClick={() =>
          void ask(
            () => send('PATCH', path, { enabled: !enabled }),
            enabled ? 'Disabled' : 'Enabled',
          )
        }
      >
        {enabled ? 'Disable' : 'Enable'}
      </button>
      <button onClick={() => void ask(rotate, 'It has a new secret; the old one signs for a day')}>
        Rotate the secret
      </button>
      <button
        class="danger"
        onClick={() => {
          if (!confirm(`Remove the webhook to ${webhook.url}?`)) return;
          void ask(() => send('DELETE', path), 'It is gone');
        }}
      >
        Remove
      </button>
    </div>
  );
}

function Standing({ webhook }: { readonly webhook: WebhookJson }) {
  const { enabled, disabledReason, failingSince, events, types } = webhook;
  return (
    <div class="quiet">
      {!enabled && (
        <span class="state failed">disabled{disabledReason && `: ${disabledReason}`}</span>
      )}
      {enabled && failingSince !== null && (
        <span class="state waiting">
          failing since <Ago time={failingSince} />
        </span>
      )}
      <div>
        {events.map((event) => event.replace('job_', '').replaceAll('_', ' ')).join(', ')} of{' '}
        {types === null ? 'every type' : types.join(', ')}
      </div>
    </div>
  );
}

/** Who is told what happens, and how that went. */
export function WebhooksPage() {
  const page = useLoaded(() => get<Page<WebhookJson>>('./v1/webhooks'), [], { everyMs: 5_000 });
  const isAdding = useSignal(false);
  const made = useSignal<MadeSecret | null>(null);
  return (
    <>
      <div class="head">
        <h1>Webhooks</h1>
        <button class="main" onClick={() => (isAdding.value = true)}>
          New webhook…
        </button>
      </div>
      <Shown of={page}>
        {({ items }) =>
          items.length === 0 ? (
            <Empty title="No webhooks">
              One has an address of yours told when jobs end: signed, and again until it is heard.
              <GuideLink to="recipes/webhooks">How to verify what it sends</GuideLink>
            </Empty>
          ) : (
            items.map((webhook) => (
              <section class="card" key={webhook.id} aria-label={webhook.url}>
                <div class="head">
                  <div>
                    <b class="mono">{webhook.url}</b> {webhook.description}
                    <Standing webhook={webhook} />
                  </div>
                  <Actions
                    webhook={webhook}
                    onDone={page.reload}
                    onSecret={(secret) => (made.value = secret)}
                  />
                </div>
                <Deliveries webhook={webhook} />
              </section>
            ))
          )
        }
      </Shown>
      {isAdding.value && (
        <WebhookForm
          onClose={() => (isAdding.value = false)}
          onMade={(secret) => {
            made.value = secret;
            page.reload();
          }}
        />
      )}
      {made.value !== null && (
        <SecretDialog made={made.value} onClose={() => (made.value = null)} />
      )}
    </>
  );
}
