import type { ArtifactJson } from '../../../../pawl/src/contract/artifact.ts';
import type { JobJson } from '../../../../pawl/src/contract/job.ts';
import { get, read, serverHref } from '../../api.ts';
import { useLoaded } from '../../load.ts';
import { Shown } from '../../parts/shown.tsx';
import { sizeText } from '../../parts/size-text.ts';
import { ValueText } from '../../parts/value-text.tsx';

type Input =
  | { readonly kind: 'plain' | 'sealed'; readonly text: string }
  | { readonly kind: 'elsewhere'; readonly artifact: ArtifactJson | null };

const REFERENCE = /^\{"\$artifact":"([0-9a-f-]{36})"\}$/;

async function inputOf({ id }: JobJson): Promise<Input> {
  const { body, headers } = await read(`./v1/jobs/${id}/input`);
  const [, artifactId] = REFERENCE.exec(JSON.stringify(body)) ?? [];
  if (artifactId !== undefined) {
    const path = `./v1/artifacts/${artifactId}/link`;
    return { kind: 'elsewhere', artifact: await get<ArtifactJson>(path).catch(() => null) };
  }
  const kind = headers.get('pawl-sealed') === 'true' ? 'sealed' : 'plain';
  return { kind, text: JSON.stringify(body, null, 2) };
}

function Elsewhere({ artifact }: { readonly artifact: ArtifactJson | null }) {
  if (artifact === null) {
    return <p class="quiet">The input was stored as a file that no longer exists.</p>;
  }
  return (
    <p>
      Stored as a file:{' '}
      <a href={serverHref(artifact.url)} download={artifact.name}>
        {artifact.name}
      </a>{' '}
      <span class="quiet">
        {artifact.contentType}, {sizeText(artifact.size)}
      </span>
    </p>
  );
}

/** What the job was given: as text, sealed where it was sent so. */
export function JobInput({ job }: { readonly job: JobJson }) {
  const input = useLoaded(() => inputOf(job), [job.id]);
  return (
    <section class="card" aria-label="Input">
      <h2>Input</h2>
      <Shown of={input}>
        {(found) =>
          found.kind === 'elsewhere' ? (
            <Elsewhere artifact={found.artifact} />
          ) : (
            <>
              {found.kind === 'sealed' && (
                <p class="quiet">Encrypted by the sender: only the workers have the key.</p>
              )}
              <ValueText text={found.text} what="Input" />
            </>
          )
        }
      </Shown>
    </section>
  );
}
