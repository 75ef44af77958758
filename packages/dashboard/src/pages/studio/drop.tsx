import { useSignal } from '@preact/signals';
import type { ArtifactJson } from '../../../../pawl/src/contract/artifact.ts';
import type { JobJson } from '../../../../pawl/src/contract/job.ts';
import { send, upload } from '../../api.ts';
import { ProblemBox } from '../../parts/notice.tsx';
import { go, hrefOf } from '../../route.ts';

interface Wishes {
  readonly sourcePreviews: boolean;
  readonly password: string;
}

async function convert(file: File, { sourcePreviews, password }: Wishes): Promise<void> {
  const kept = await upload<ArtifactJson>('./v1/artifacts', file);
  const input = {
    assetRef: kept.id,
    name: file.name,
    ...(sourcePreviews ? { sourcePreviews } : {}),
    ...(password === '' ? {} : { password }),
  };
  const job = await send<JobJson>('POST', './v1/jobs', {
    type: 'convert',
    input,
    metadata: { fileName: file.name },
  });
  go(hrefOf(['studio'], { job: job.id }));
}

/** Takes a file, uploads it and has it converted. */
export function Drop() {
  const name = useSignal<string | null>(null);
  const isOver = useSignal(false);
  const error = useSignal<Error | null>(null);
  const isCompared = useSignal(false);
  const password = useSignal('');
  const take = async (file: File | undefined): Promise<void> => {
    isOver.value = false;
    if (file === undefined) return;
    name.value = file.name;
    error.value = null;
    const wishes = { sourcePreviews: isCompared.value, password: password.value };
    await convert(file, wishes).catch((fault: Error) => (error.value = fault));
    name.value = null;
  };
  return (
    <>
      {error.value !== null && <ProblemBox error={error.value} />}
      <label
        class={`drop ${isOver.value ? 'over' : ''}`}
        onDragOver={(event) => {
          event.preventDefault();
          isOver.value = true;
        }}
        onDragLeave={() => (isOver.value = false)}
        onDrop={(event) => {
          event.preventDefault();
          void take(event.dataTransfer?.files[0]);
        }}
      >
        <b>
          {name.value === null ? 'Drop a document here, or choose one' : `Sending ${name.value}…`}
        </b>
        <span class="quiet">
          pptx, pdf, docx, Markdown, HTML or text; with LibreOffice also odp, odt, ods, xlsx, doc…
        </span>
        <input
          type="file"
          aria-label="Document"
          accept=".pptx,.pdf,.docx,.md,.markdown,.html,.htm,.txt,.odp,.ppt,.odt,.doc,.rtf,.ods,.xlsx,.xls"
          onChange={(event) => void take(event.currentTarget.files?.[0])}
        />
      </label>
      <div class="row">
        <label>
          <input
            type="checkbox"
            checked={isCompared.value}
            onChange={(event) => (isCompared.value = event.currentTarget.checked)}
          />{' '}
          Draw the source as well, to compare
        </label>
        <label>
          Password{' '}
          <input
            type="password"
            autocomplete="off"
            placeholder="of a protected file"
            value={password.value}
            onInput={(event) => (password.value = event.currentTarget.value)}
          />
        </label>
      </div>
    </>
  );
}
