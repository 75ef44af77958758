import { useSignal } from '@preact/signals';
import type { ArtifactJson } from '../../../../pawl/src/contract/artifact.ts';
import type { JobJson } from '../../../../pawl/src/contract/job.ts';
import { send, serverHref, getAll } from '../../api.ts';
import { useLiveJob } from '../../live-job.ts';
import { useLoaded } from '../../load.ts';
import { Action } from '../../parts/action.tsx';
import { act } from '../../parts/notice.tsx';
import { ProgressBar } from '../../parts/progress-bar.tsx';
import { Shown } from '../../parts/shown.tsx';
import { sizeText } from '../../parts/size-text.ts';
import { JobErrors } from '../job/errors.tsx';
import { FileLosses } from './losses.tsx';

const FORMATS = ['pptx', 'pdf'] as const;

function Download({ job }: { readonly job: JobJson }) {
  const files = useLoaded(() => getAll<ArtifactJson>(`./v1/jobs/${job.id}/artifacts`), [job.id]);
  return (
    <Shown of={files}>
      {({ items }) => {
        const losses = items.find(({ name }) => name === 'losses.json');
        return (
          <>
            {items.map(({ id, name, url, size }) => (
              <a class="button" key={id} href={serverHref(url)} download={name}>
                Download {name} <span class="quiet">{sizeText(size)}</span>
              </a>
            ))}
            {losses !== undefined && <FileLosses file={losses} />}
          </>
        );
      }}
    </Shown>
  );
}

function Export({ id }: { readonly id: string }) {
  const { job, events } = useLiveJob(id);
  return (
    <Shown of={job}>
      {(found) => {
        if (found.phase === 'succeeded') return <Download job={found} />;
        return (
          <>
            <JobErrors job={found} events={events} />
            <ProgressBar progress={found.progress} phase={found.phase} isTall />
            <span class="quiet">{found.message ?? found.stage ?? found.state}</span>
          </>
        );
      }}
    </Shown>
  );
}

/** Makes files of a deck. */
export function Exports({ deckRef }: { readonly deckRef: string }) {
  const made = useSignal<readonly string[]>([]);
  const begin = async (format: string): Promise<void> => {
    const body = { type: 'export', input: { format, deckRef } };
    const job = await send<JobJson>('POST', './v1/jobs', body);
    made.value = [...made.value, job.id];
  };
  return (
    <section class="card" aria-label="Export">
      <div class="head">
        <h2>Export</h2>
        <div class="row">
          {FORMATS.map((format) => (
            <Action
              key={format}
              needs="jobs:write"
              onClick={() => void act(() => begin(format), `Creating a ${format}`)}
            >
              Create .{format}
            </Action>
          ))}
        </div>
      </div>
      {made.value.map((id) => (
        <Export key={id} id={id} />
      ))}
    </section>
  );
}
