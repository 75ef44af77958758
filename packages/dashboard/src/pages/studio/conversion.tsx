import type { ArtifactJson } from '../../../../pawl/src/contract/artifact.ts';
import type { JobJson } from '../../../../pawl/src/contract/job.ts';
import type { TypeJson } from '../../../../pawl/src/contract/type.ts';
import { get, getAll } from '../../api.ts';
import { useLiveJob } from '../../live-job.ts';
import { useLoaded } from '../../load.ts';
import { types } from '../../offers.ts';
import { StateChip } from '../../parts/state-chip.tsx';
import { Shown } from '../../parts/shown.tsx';
import { hrefOf } from '../../route.ts';
import { JobErrors } from '../job/errors.tsx';
import { JobProgress } from '../job/progress.tsx';
import { Ask } from './ask.tsx';
import { Exports } from './exports.tsx';
import { type LossCounts, LossSummary } from './losses.tsx';
import { Slides, type SourcePreviews } from './slides.tsx';

/** What a convert job leaves behind. */
interface Deck {
  readonly deckRef: string;
  readonly title: string;
  readonly slides: number;
  readonly sourceType: string;
  /** Absent in results of releases that did not count. */
  readonly losses?: LossCounts;
  readonly readBy?: string;
  readonly drawnBy?: string;
  readonly sourcePreviews?: SourcePreviews;
}

function Finished({ job }: { readonly job: JobJson }) {
  const deck = useLoaded(() => get<Deck>(`./v1/jobs/${job.id}/result`), [job.id]);
  const files = useLoaded(() => getAll<ArtifactJson>(`./v1/jobs/${job.id}/artifacts`), [job.id]);
  return (
    <Shown of={deck}>
      {({ deckRef, title, slides, sourceType, losses, readBy, drawnBy, sourcePreviews }) => (
        <>
          <div class="head">
            <b>{title === '' ? 'Untitled' : title}</b>
            <span class="quiet">
              {slides} {slides === 1 ? 'slide' : 'slides'} from {sourceType}
              {readBy !== undefined && `, read by ${readBy}`}
            </span>
          </div>
          {losses !== undefined && <LossSummary counts={losses} />}
          <Shown of={files}>
            {({ items }) => <Slides files={items} drawnBy={drawnBy} source={sourcePreviews} />}
          </Shown>
          <Exports deckRef={deckRef} />
          {types.value?.has('ai') === true && <Ask deckRef={deckRef} />}
        </>
      )}
    </Shown>
  );
}

/** A conversion as it goes, stage by stage, and what can be done with its deck. */
export function Conversion({ id }: { readonly id: string }) {
  const { job, events, text } = useLiveJob(id);
  const type = useLoaded(() => get<TypeJson>('./v1/types/convert'), []);
  return (
    <Shown of={job}>
      {(found) => (
        <>
          <div class="head">
            <a href={hrefOf(['jobs', id])}>Open the job</a>
            <StateChip job={found} />
          </div>
          <JobErrors job={found} events={events} />
          {found.phase === 'succeeded' ? (
            <Finished job={found} />
          ) : (
            <JobProgress job={found} stages={type.value.value?.stages ?? []} text={text} />
          )}
        </>
      )}
    </Shown>
  );
}
