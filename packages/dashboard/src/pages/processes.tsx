import { get } from '../api.ts';
import { useLoaded } from '../load.ts';
import { isHome, may } from '../me.ts';
import { Empty } from '../parts/notice.tsx';
import { Shown } from '../parts/shown.tsx';
import { hrefOf } from '../route.ts';
import { Providers } from './processes/providers.tsx';

/** A process as OGC API – Processes summarises it. */
interface ProcessSummary {
  readonly id: string;
  readonly title?: string;
  readonly description?: string;
  readonly version?: string;
  readonly jobControlOptions?: readonly string[];
}

interface ProcessList {
  readonly processes: readonly ProcessSummary[];
}

/** The type of a process's jobs: those of providers are told apart by what stands before. */
function typeOf(id: string): string {
  return id.includes(':') ? `ogc/${id}` : id;
}

function Processes({ processes }: ProcessList) {
  if (processes.length === 0) {
    return (
      <Empty title="No processes">
        Processes come from configured providers and from exposed job types.
      </Empty>
    );
  }
  return (
    <section class="card scroll" aria-label="Processes" tabIndex={0}>
      <table class="rows">
        <thead>
          <tr>
            <th>Process</th>
            <th>What it does</th>
            <th>Version</th>
            <th>Runs</th>
            <th>
              <span class="unseen">Jobs</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {processes.map(({ id, title, description, version, jobControlOptions = [] }) => (
            <tr key={id}>
              <td class="mono">{id}</td>
              <td class="grow">
                {title}
                <div class="quiet">{description}</div>
              </td>
              <td>{version}</td>
              <td>{jobControlOptions.join(', ')}</td>
              <td>
                <a href={hrefOf(['jobs'], { type: typeOf(id) })}>jobs</a>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

/** What can be run by OGC API – Processes, here and at providers. */
export function ProcessesPage() {
  const page = useLoaded(() => get<ProcessList>('./processes', { limit: 1_000 }), []);
  return (
    <>
      <h1>Processes</h1>
      {isHome() && may('metrics:read') && <Providers />}
      <Shown of={page}>{({ processes }) => <Processes processes={processes} />}</Shown>
    </>
  );
}
