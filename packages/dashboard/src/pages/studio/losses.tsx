import type { ArtifactJson } from '../../../../pawl/src/contract/artifact.ts';
import { read, serverHref } from '../../api.ts';
import { useLoaded } from '../../load.ts';

/** What became of the elements of a source. */
export interface LossCounts {
  readonly elements: number;
  readonly kept: number;
  readonly approximated: number;
  readonly dropped: number;
}

/** One thing that is not as it was. */
interface Loss {
  readonly slide: number;
  readonly kind: string;
  readonly code: string;
  readonly outcome: string;
  readonly what: string;
  readonly text?: string;
}

/** How much of the source the deck has. */
export function LossSummary({ counts }: { readonly counts: LossCounts }) {
  const { elements, kept, approximated, dropped } = counts;
  return (
    <p class="quiet" aria-label="Losses">
      {elements} elements: {kept} kept, {approximated} approximated, {dropped} dropped
    </p>
  );
}

/** What a slide has differently from its source, beside its preview. */
export function SlideLosses({
  file,
  slide,
}: {
  readonly file: ArtifactJson;
  readonly slide: number;
}) {
  const loaded = useLoaded(
    async () => (await read(serverHref(file.url))).body as { losses: readonly Loss[] },
    [file.id],
  );
  const losses = (loaded.value.value?.losses ?? []).filter((loss) => loss.slide === slide);
  return <LossList losses={losses} label={`Losses of slide ${slide}`} />;
}

/** What a file that was made has differently from its deck. */
export function FileLosses({ file }: { readonly file: ArtifactJson }) {
  const loaded = useLoaded(
    async () => (await read(serverHref(file.url))).body as LossCounts & { losses: readonly Loss[] },
    [file.id],
  );
  const found = loaded.value.value;
  if (found === null || found === undefined) return null;
  return (
    <>
      <LossSummary counts={found} />
      <LossList losses={found.losses} label="Losses of the file" isNumbered />
    </>
  );
}

function LossList({
  losses,
  label,
  isNumbered = false,
}: {
  readonly losses: readonly Loss[];
  readonly label: string;
  readonly isNumbered?: boolean;
}) {
  if (losses.length === 0) return null;
  return (
    <ul class="lines loose losses" aria-label={label}>
      {losses.map(({ slide, code, kind, outcome, what, text }) => (
        <li key={`${slide} ${code} ${kind} ${what} ${text ?? ''}`}>
          <code>{code}</code>
          <span class="breaks">
            {isNumbered && `slide ${slide}, `}
            {kind}: {what}
            {text !== undefined && <span class="quiet"> “{text}”</span>}
          </span>
          <span class="quiet">{outcome}</span>
        </li>
      ))}
    </ul>
  );
}
