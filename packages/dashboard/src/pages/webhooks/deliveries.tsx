import type { DeliveryJson, WebhookJson } from '../../../../pawl/src/contract/webhook.ts';
import { get, send } from '../../api.ts';
import { useLoaded } from '../../load.ts';
import type { Page } from '../../page.ts';
import { Action } from '../../parts/action.tsx';
import { Ago } from '../../parts/ago.tsx';
import { JobLink } from '../../parts/job-link.tsx';
import { act, Empty } from '../../parts/notice.tsx';
import { Shown } from '../../parts/shown.tsx';

const SHOWN = 8;
const LEVELS = {
  pending: 'waiting',
  delivered: 'succeeded',
  failed: 'failed',
  cancelled: 'cancelled',
};

function answerText({ lastTry }: DeliveryJson): string {
  if (lastTry === null) return 'not sent yet';
  return lastTry.error ?? `answered ${lastTry.status} in ${lastTry.durationMs} ms`;
}

function DeliveryRow({ delivery, onAgain }: { delivery: DeliveryJson; onAgain: () => void }) {
  return (
    <tr>
      <td>
        <Ago time={delivery.createdAt} />
      </td>
      <td>{delivery.eventType}</td>
      <td>{delivery.jobId === null ? '–' : <JobLink id={delivery.jobId} />}</td>
      <td>
        <span class={`state ${LEVELS[delivery.state]}`}>{delivery.state}</span>
      </td>
      <td class="number" data-label="attempts">
        {delivery.attempts}
      </td>
      <td class="grow quiet">
        {answerText(delivery)}
        {delivery.nextAttemptAt !== null && (
          <>
            , retry <Ago time={delivery.nextAttemptAt} />
          </>
        )}
      </td>
      <td class="act">
        <Action needs="webhooks:write" onClick={onAgain}>
          Redeliver
        </Action>
      </td>
    </tr>
  );
}

/** What was sent to a webhook, and what it answered. */
export function Deliveries({ webhook }: { readonly webhook: WebhookJson }) {
  const path = `./v1/webhooks/${webhook.id}/deliveries`;
  const page = useLoaded(() => get<Page<DeliveryJson>>(path, { limit: SHOWN }), [path], {
    everyMs: 3_000,
  });
  const redeliver = async ({ id }: DeliveryJson): Promise<void> => {
    await act(() => send('POST', `${path}/${id}/redeliver`, {}), 'Redelivering');
    page.reload();
  };
  return (
    <Shown of={page}>
      {({ items }) =>
        items.length === 0 ? (
          <Empty title="No deliveries yet">Send a test to see whether it arrives.</Empty>
        ) : (
          <div class="scroll">
            <table class="rows">
              <thead>
                <tr>
                  <th>Created</th>
                  <th>Event</th>
                  <th>Job</th>
                  <th>State</th>
                  <th class="number">Attempts</th>
                  <th>Response</th>
                  <th>
                    <span class="unseen">Actions</span>
                  </th>
                </tr>
              </thead>
              <tbody>
                {items.map((delivery) => (
                  <DeliveryRow
                    key={delivery.id}
                    delivery={delivery}
                    onAgain={() => void redeliver(delivery)}
                  />
                ))}
              </tbody>
            </table>
          </div>
        )
      }
    </Shown>
  );
}
