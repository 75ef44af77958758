import { useSignal } from '@preact/signals';
import type { JobJson } from '../../../../pawl/src/contract/job.ts';
import { get, send } from '../../api.ts';
import { useLiveJob } from '../../live-job.ts';
import { useLoaded } from '../../load.ts';
import { valuesOf } from '../../parts/form-values.ts';
import { act } from '../../parts/notice.tsx';
import { Shown } from '../../parts/shown.tsx';
import { JobErrors } from '../job/errors.tsx';

interface Asked {
  readonly id: string;
  readonly question: string;
}

interface Answered {
  readonly response: string | null;
  readonly model: string;
  readonly citations: readonly { readonly place: string; readonly text: string }[];
}

function Sources({ id }: { readonly id: string }) {
  const result = useLoaded(() => get<Answered>(`./v1/jobs/${id}/result`), [id]);
  const found = result.value.value;
  if (found === null) return null;
  return (
    <div class="quiet">
      {found.citations.map(({ place, text }) => (
        <div key={`${place} ${text}`} title={text}>
          from {place}
        </div>
      ))}
      by {found.model}
    </div>
  );
}

/** An answer as it is written, and where it was found. */
function Answer({ id, question }: Asked) {
  const { job, events, text } = useLiveJob(id);
  return (
    <article class="answer">
      <b>{question}</b>
      <Shown of={job}>
        {(found) => (
          <>
            <JobErrors job={found} events={events} />
            <p aria-live="polite">{text}</p>
            {found.phase === 'succeeded' && <Sources id={id} />}
          </>
        )}
      </Shown>
    </article>
  );
}

/** Questions about a deck. */
export function Ask({ deckRef }: { readonly deckRef: string }) {
  const asked = useSignal<readonly Asked[]>([]);
  const ask = async (question: string): Promise<void> => {
    const body = { type: 'ai', input: { prompt: question, deckRef } };
    const { id } = await send<JobJson>('POST', './v1/jobs', body);
    asked.value = [...asked.value, { id, question }];
  };
  return (
    <section class="card" aria-label="Ask">
      <h2>Ask</h2>
      <form
        class="row"
        onSubmit={(event) => {
          event.preventDefault();
          const form = event.currentTarget;
          const { question = '' } = valuesOf(form);
          if (question === '') return;
          form.reset();
          void act(() => ask(question), 'Asked');
        }}
      >
        <input
          name="question"
          class="spread"
          aria-label="Question"
          placeholder="What is it about?"
        />
        <button class="main">Ask</button>
      </form>
      {asked.value.map((one) => (
        <Answer key={one.id} {...one} />
      ))}
    </section>
  );
}
