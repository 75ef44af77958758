import { createHash } from 'node:crypto';
import { referenceIn } from '../artifact/reference.ts';
import { isUuid } from '../core/uuid.ts';
import type { DocumentSource } from '../core/limits.ts';
import type { Policy } from '../core/policy.ts';
import type { EngineContext } from './context.ts';
import type { EnqueueRequest } from './enqueue-request.ts';

/** The longest URL that is told as it is. */
const URL_LENGTH_MAX = 500;

/**
 * Which document a job is about whose caller named none: its source, where its type says where in
 * the input that is. The same content is the same document, however it came. Null at once where
 * there is nothing to find.
 */
export function documentOf(
  context: EngineContext,
  { documentId, input }: EnqueueRequest,
  { tenant, policy }: { tenant: string; policy: Policy },
): Promise<string | null> | null {
  const from = policy.limits?.documentFrom;
  if (documentId !== undefined || from === undefined) return null;
  if (typeof input !== 'object' || input === null || Array.isArray(input)) return null;
  return sourceOf(context, input as Readonly<Record<string, unknown>>, { tenant, from });
}

async function sourceOf(
  context: EngineContext,
  input: Readonly<Record<string, unknown>>,
  { tenant, from }: { tenant: string; from: DocumentSource },
): Promise<string | null> {
  const whole = referenceIn(input);
  if (whole !== null) return artifactSource(context, tenant, whole);
  const member = (name: string | undefined): string | null => {
    const value = name === undefined ? undefined : input[name];
    return typeof value === 'string' && value !== '' ? value : null;
  };
  const content = member(from.content);
  if (content !== null) return hashOf(content);
  const artifact = member(from.artifact);
  if (artifact !== null) return artifactSource(context, tenant, artifact);
  const url = member(from.url);
  return url === null ? null : urlSource(url);
}

/** By its content, so that the same file uploaded twice is one source. */
async function artifactSource(
  { records }: EngineContext,
  tenant: string,
  id: string,
): Promise<string | null> {
  if (!isUuid(id)) return null;
  const found = await records.artifacts.find({ tenant, id });
  return found === null ? `artifact:${id}` : `sha256:${found.sha256}`;
}

function urlSource(text: string): string | null {
  if (!URL.canParse(text)) return null;
  const url = new URL(text);
  // It names a place within the document.
  url.hash = '';
  return `url:${url.href.length > URL_LENGTH_MAX ? hashOf(url.href) : url.href}`;
}

function hashOf(text: string): string {
  return `sha256:${createHash('sha256').update(text).digest('hex')}`;
}
