import { useSignal } from '@preact/signals';
import type { ArtifactJson } from '../../../../pawl/src/contract/artifact.ts';
import { serverHref } from '../../api.ts';
import { useLoaded } from '../../load.ts';
import { Shown } from '../../parts/shown.tsx';
import { sizeText } from '../../parts/size-text.ts';
import { ValueText } from '../../parts/value-text.tsx';

const BYTES_SHOWN = 65_536;
const TEXTS = /^(?:text\/|application\/(?:[\w.-]+\+)?(?:json|xml|yaml|x-ndjson)\b)/;

/** Whether the content can be shown as text; HTML too, as the text that it is. */
export function isText({ contentType }: ArtifactJson): boolean {
  return TEXTS.test(contentType);
}

async function beginningOf({ url, size, contentType }: ArtifactJson): Promise<string> {
  const response = await fetch(serverHref(url), {
    headers: { range: `bytes=0-${BYTES_SHOWN - 1}` },
  });
  if (!response.ok) throw new Error('The file can no longer be read. Reload the page.');
  const text = await response.text();
  if (size > BYTES_SHOWN || !contentType.includes('json')) return text;
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}

function Beginning({ artifact }: { readonly artifact: ArtifactJson }) {
  const text = useLoaded(() => beginningOf(artifact), [artifact.id]);
  return (
    <Shown of={text}>
      {(found) => (
        <>
          <ValueText text={found} what={artifact.name} />
          {artifact.size > BYTES_SHOWN && (
            <p class="quiet">The first {sizeText(BYTES_SHOWN)}; the file has it all.</p>
          )}
        </>
      )}
    </Shown>
  );
}

/** The content of a text file, read when it is asked for. */
export function Preview({ artifact }: { readonly artifact: ArtifactJson }) {
  const isOpen = useSignal(false);
  return (
    <details class="preview" onToggle={(event) => (isOpen.value = event.currentTarget.open)}>
      <summary>Preview</summary>
      {isOpen.value && <Beginning artifact={artifact} />}
    </details>
  );
}
