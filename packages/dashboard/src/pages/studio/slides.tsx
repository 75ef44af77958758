import { useSignal } from '@preact/signals';
import type { ArtifactJson } from '../../../../pawl/src/contract/artifact.ts';
import { serverHref } from '../../api.ts';
import { Empty } from '../../parts/notice.tsx';
import { SlideLosses } from './losses.tsx';

/** Pictures of the source itself, where they were asked for. */
export interface SourcePreviews {
  readonly drawnBy: string | null;
  readonly missing?: string;
}

function inOrder(files: readonly ArtifactJson[], folder: string): ArtifactJson[] {
  return files
    .filter(({ name }) => name.startsWith(folder))
    .toSorted((one, other) => (one.name < other.name ? -1 : 1));
}

/** The page of the source that has the number of the slide, or the last one. */
function SourcePage({
  pages,
  at,
  source,
}: {
  readonly pages: readonly ArtifactJson[];
  readonly at: number;
  readonly source: SourcePreviews;
}) {
  const number = Math.min(at, pages.length - 1);
  const page = pages[number];
  return (
    <figure>
      {page !== undefined && (
        <img
          class="large"
          src={serverHref(page.url)}
          alt={`Page ${number + 1} of ${pages.length} of the source`}
        />
      )}
      <figcaption class="quiet">
        {page !== undefined && `Source, page ${number + 1}, drawn by ${source.drawnBy ?? ''}. `}
        {source.missing !== undefined && `Not drawn: ${source.missing}.`}
      </figcaption>
    </figure>
  );
}

interface SlidesProps {
  readonly files: readonly ArtifactJson[];
  readonly drawnBy: string | undefined;
  readonly source: SourcePreviews | undefined;
}

/** The previews of a deck: one large, all small; beside it the source, where it was drawn. */
export function Slides({ files, drawnBy, source }: SlidesProps) {
  const at = useSignal(0);
  const previews = inOrder(files, 'previews/');
  const current = previews[at.value];
  const losses = files.find(({ name }) => name === 'losses.json');
  if (current === undefined) return <Empty title="No slides" />;
  const turn = (by: number): void => {
    at.value = Math.min(previews.length - 1, Math.max(0, at.value + by));
  };
  return (
    <div
      class="slides"
      role="group"
      aria-label="Slides"
      onKeyDown={({ key }) => {
        if (key === 'ArrowRight') turn(1);
        else if (key === 'ArrowLeft') turn(-1);
      }}
    >
      <div class="pair">
        <figure>
          <img
            class="large"
            src={serverHref(current.url)}
            alt={`Slide ${at.value + 1} of ${previews.length}`}
          />
          {source !== undefined && (
            <figcaption class="quiet">
              Deck, slide {at.value + 1}, drawn by {drawnBy}.
            </figcaption>
          )}
        </figure>
        {source !== undefined && (
          <SourcePage pages={inOrder(files, 'source/')} at={at.value} source={source} />
        )}
      </div>
      {losses !== undefined && <SlideLosses file={losses} slide={at.value + 1} />}
      <div class="strip">
        {previews.map(({ id, url }, index) => (
          <button
            key={id}
            aria-label={`Slide ${index + 1}`}
            aria-pressed={index === at.value}
            onClick={() => (at.value = index)}
          >
            <img src={serverHref(url)} alt="" loading="lazy" />
          </button>
        ))}
      </div>
    </div>
  );
}
