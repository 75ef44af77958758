import type { JobJson } from '../../../../src/http/schema/job.ts';
import { get } from '../../api.ts';
import { lettersOf } from '../../letters.ts';
import { useLoaded } from '../../load.ts';
import { Empty } from '../../parts/notice.tsx';
import { Shown } from '../../parts/shown.tsx';

interface Content {
  readonly title: string;
  readonly value: unknown;
}

/** The result of what went well; the input of what did not, which its dead letter keeps. */
async function contentOf(job: JobJson): Promise<Content | null> {
  if (job.phase === 'succeeded') {
    return { title: 'Result', value: await get<unknown>(`./v1/jobs/${job.id}/result`) };
  }
  if (job.phase !== 'failed' && job.phase !== 'dead') return null;
  const [letter] = await lettersOf([job]);
  return letter === undefined ? null : { title: 'Input', value: letter.input };
}

/** What went in or came out, as far as the API shows it. */
export function JobContent({ job }: { readonly job: JobJson }) {
  // An empty answer must not look like one that is on its way.
  const content = useLoaded(async () => ({ found: await contentOf(job) }), [job.id, job.phase]);
  return (
    <section class="card" aria-label="Content">
      <Shown of={content}>
        {({ found }) =>
          found === null ? (
            <>
              <h2>Result</h2>
              <Empty title={job.completedAt === null ? 'None yet' : 'It left none'} />
            </>
          ) : (
            <>
              <h2>{found.title}</h2>
              <pre tabIndex={0}>{JSON.stringify(found.value, null, 2)}</pre>
            </>
          )
        }
      </Shown>
    </section>
  );
}
