import { useSignal } from '@preact/signals';
import type { ArtifactJson } from '../../../../pawl/src/contract/artifact.ts';
import { serverHref } from '../../api.ts';
import { Empty } from '../../parts/notice.tsx';
import { SlideLosses } from './losses.tsx';

/** The previews of a deck: one large, all small. */
export function Slides({ files }: { readonly files: readonly ArtifactJson[] }) {
  const at = useSignal(0);
  const previews = files
    .filter(({ name }) => name.startsWith('previews/'))
    .toSorted((one, other) => (one.name < other.name ? -1 : 1));
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
      <img
        class="large"
        src={serverHref(current.url)}
        alt={`Slide ${at.value + 1} of ${previews.length}`}
      />
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
