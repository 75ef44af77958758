import type { JobJson } from '../../../../pawl/src/contract/job.ts';
import { get } from '../../api.ts';
import { useLoaded } from '../../load.ts';
import { Empty } from '../../parts/notice.tsx';
import { Shown } from '../../parts/shown.tsx';
import { ValueText } from '../../parts/value-text.tsx';

async function resultOf({ id, phase }: JobJson): Promise<string | null> {
  if (phase !== 'succeeded') return null;
  return JSON.stringify(await get<unknown>(`./v1/jobs/${id}/result`), null, 2);
}

/** What came out, as text. */
export function JobResult({ job }: { readonly job: JobJson }) {
  // An empty answer must not look like one that is on its way.
  const result = useLoaded(async () => ({ text: await resultOf(job) }), [job.id, job.phase]);
  return (
    <section class="card" aria-label="Result">
      <h2>Result</h2>
      <Shown of={result}>
        {({ text }) =>
          text === null ? (
            <Empty title={job.completedAt === null ? 'No result yet' : 'No result'} />
          ) : (
            <ValueText text={text} what="Result" />
          )
        }
      </Shown>
    </section>
  );
}
