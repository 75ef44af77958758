import { useSignal } from '@preact/signals';
import type { WebhookJson } from '../../../pawl/src/contract/webhook.ts';
import { send, getAll } from '../api.ts';
import { useLoaded } from '../load.ts';
import { Action } from '../parts/action.tsx';
import { Ago } from '../parts/ago.tsx';
import { Confirm } from '../parts/confirm.tsx';
import { GuideLink } from '../parts/guide-link.tsx';
import { act, Empty, say } from '../parts/notice.tsx';
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
  const isRemoving = useSignal(false);
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
      <Action
        needs="webhooks:write"
        onClick={() => void ask(() => send('POST', `${path}/test`, {}), 'Test sent')}
      >
        Send test
      </Action>
      <Action
        needs="webhooks:write"
        onClick={() =>
          void ask(
            () => send('PATCH', path, { enabled: !enabled }),
            enabled ? 'Disabled' : 'Enabled',
          )
        }
      >
        {enabled ? 'Disable' : 'Enable'}
      </Action>
      <Action
        needs="webhooks:write"
        onClick={() => void ask(rotate, 'New secret created; the old one also signs for a day')}
      >
        Rotate secret
      </Action>
      <Action needs="webhooks:write" class="danger" onClick={() => (isRemoving.value = true)}>
        Remove…
      </Action>
      {isRemoving.value && (
        <Confirm
          title="Remove this webhook?"
          action="Remove webhook"
          isDanger
          onConfirm={async () => {
            await send('DELETE', path);
            say('Webhook removed');
            onDone();
          }}
          onClose={() => (isRemoving.value = false)}
        >
          <p class="breaks">{webhook.url} will no longer be notified.</p>
        </Confirm>
      )}
    </div>
  );
}

function Standing({ webhook }: { readonly webhook: WebhookJson }) {
  const { enabled, disabledReason, failingSince, circuit, events, types } = webhook;
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
      {enabled && circuit.state !== 'closed' && (
        <span class="state failed">
          {circuit.state === 'open' && circuit.openUntil !== null ? (
            <>
              circuit open, tried again <Ago time={circuit.openUntil} />
            </>
          ) : (
            'circuit half open: the next answer decides'
          )}
        </span>
      )}
      <div>
        {events.map((event) => event.replace('job_', '').replaceAll('_', ' ')).join(', ')} of{' '}
        {types === null ? 'all types' : types.join(', ')}
      </div>
    </div>
  );
}

/** Who is told what happens, and how that went. */
export function WebhooksPage() {
  const page = useLoaded(() => getAll<WebhookJson>('./v1/webhooks'), [], { everyMs: 5_000 });
  const isAdding = useSignal(false);
  const made = useSignal<MadeSecret | null>(null);
  return (
    <>
      <div class="head">
        <h1>Webhooks</h1>
        <Action needs="webhooks:write" class="main" onClick={() => (isAdding.value = true)}>
          New webhook…
        </Action>
      </div>
      <Shown of={page}>
        {({ items }) =>
          items.length === 0 ? (
            <Empty title="No webhooks">
              A webhook notifies your server when jobs end: signed, and retried until it answers.
              <GuideLink to="recipes/webhooks">How to verify signatures</GuideLink>
            </Empty>
          ) : (
            items.map((webhook) => (
              <section class="card" key={webhook.id} aria-label={webhook.url}>
                <div class="head">
                  <div>
                    <b class="mono breaks">{webhook.url}</b> {webhook.description}
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
