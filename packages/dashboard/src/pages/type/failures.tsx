import type { FailureCauseJson } from '../../../../pawl/src/contract/failure.ts';
import { get } from '../../api.ts';
import { useLoaded } from '../../load.ts';
import type { Page } from '../../page.ts';
import { Ago } from '../../parts/ago.tsx';
import { Empty } from '../../parts/notice.tsx';
import { Shown } from '../../parts/shown.tsx';
import { hrefOf } from '../../route.ts';

const SHOWN = 5;

/** Why jobs of a type failed, the latest causes first. */
export function TypeFailures({ type }: { readonly type: string }) {
  const page = useLoaded(
    () => get<Page<FailureCauseJson>>('./v1/failures', { type, limit: SHOWN }),
    [type],
    { everyMs: 5_000 },
  );
  return (
    <section class="card reserved" aria-label="Failures">
      <div class="head">
        <h2>Failures</h2>
        <a href={hrefOf(['failures'], { type })}>by cause</a>
      </div>
      <Shown of={page}>
        {({ items }) =>
          items.length === 0 ? (
            <Empty title="No failures" />
          ) : (
            <ul class="lines counts">
              {items.map(({ fingerprint, code, message, count, lastSeen }) => (
                <li key={fingerprint}>
                  <b>
                    {count.toLocaleString('en')} <span aria-hidden="true">×</span>
                  </b>
                  <span class="breaks">
                    <span class="bad">{code}</span> {message}
                  </span>
                  <Ago time={lastSeen} />
                </li>
              ))}
            </ul>
          )
        }
      </Shown>
    </section>
  );
}
