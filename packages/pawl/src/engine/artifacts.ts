import type { ArtifactStore, ByteRange, Content } from '../artifact/artifact-store.ts';
import { INPUT_VALUE, isValueName, RESULT_VALUE } from '../core/value-name.ts';
import { type Fault, invalid, PawlError } from '../core/errors.ts';
import { isUuid } from '../core/uuid.ts';
import type { JobRef } from '../core/job.ts';
import type { Artifact, ArtifactCommit, ArtifactRef } from '../records/artifacts.ts';
import { StoreError } from '../store/store-error.ts';
import { sightOf } from './artifact-sight.ts';
import type { EngineContext } from './context.ts';
import { type Ownership, ownershipRefusal } from './owner.ts';
import { leaseLost, notFound } from './refusals.ts';
import { ArtifactSweep, type ArtifactSweepOptions } from './sweeps/artifacts.ts';

export interface ArtifactLimits {
  /** Of one artifact. */
  readonly bytesMax: number;
  /** Of all artifacts of a tenant together; null for no bound. */
  readonly tenantBytesMax: number | null;
  /** How long an upload is kept for jobs to use it. */
  readonly uploadKeepMs: number;
}

const VALUE_TYPE = 'application/json';

/** So long may a job take to be made after its input: from then on the value is the job's. */
const VALUE_KEEP_MS = 86_400_000;

const LIMITS: ArtifactLimits = {
  bytesMax: 5 * 1024 ** 3,
  tenantBytesMax: null,
  uploadKeepMs: 30 * 86_400_000,
};

/** Bytes with a name. */
export interface NewArtifact {
  readonly name: string;
  readonly contentType: string;
  readonly content: Content;
  /** What the sender says of the content, held against what comes. */
  readonly size?: number;
  readonly sha256?: string;
  /** The sender's own id, where it had to know it beforehand. */
  readonly id?: string;
}

/**
 * The use cases of artifacts. Bytes are stored first, then a fenced record; bytes of failed writes
 * are removed.
 */
export class Artifacts {
  readonly #context: EngineContext;
  readonly #files: ArtifactStore;
  readonly #limits: ArtifactLimits;

  constructor(
    context: EngineContext,
    options: { files: ArtifactStore; limits?: Partial<ArtifactLimits> },
  ) {
    this.#context = context;
    this.#files = options.files;
    this.#limits = { ...LIMITS, ...options.limits };
  }

  /** The periodic duty over these artifacts, to be started. */
  sweep(options: ArtifactSweepOptions): ArtifactSweep {
    return new ArtifactSweep(this.#context, this.#files, options);
  }

  newId(): string {
    return this.#context.ids.next();
  }

  /** An input that a caller brings before the job that needs it. */
  upload(tenant: string, artifact: NewArtifact): Promise<Artifact> {
    checkNotValue(artifact.name);
    const keepMs = this.#limits.uploadKeepMs;
    return this.#store(artifact, { tenant, holder: null, keepMs });
  }

  /**
   * An owner's artifact, durable once the promise resolves and seen as `sightOf` says. LEASE_LOST
   * for all but the owner.
   */
  put(held: Ownership, artifact: NewArtifact): Promise<Artifact> {
    checkNotValue(artifact.name);
    return this.#put(held, artifact);
  }

  /** A job's input, under the id of the job that is about to be made. */
  async keepInput(tenant: string, id: string, content: Content): Promise<void> {
    const value = { id, name: INPUT_VALUE, contentType: VALUE_TYPE, content };
    await this.#store(value, { tenant, holder: null, keepMs: VALUE_KEEP_MS });
  }

  /** The result of a job that is about to succeed. */
  keepResult(held: Ownership, content: Content): Promise<Artifact> {
    return this.#put(held, { name: RESULT_VALUE, contentType: VALUE_TYPE, content });
  }

  /** The bytes of a value by the id that stands for it; null for what is no such value. */
  async openValue(
    ref: ArtifactRef,
    isWanted: (artifact: Artifact) => boolean,
  ): Promise<Content | null> {
    const found = await this.#context.records.artifacts.find(ref);
    return found !== null && isWanted(found) ? this.open(found) : null;
  }

  async #put(held: Ownership, artifact: NewArtifact): Promise<Artifact> {
    const { ref, owner, epoch, token } = held;
    const [job] = await this.#context.store.read([ref]);
    if (!job) throw notFound(ref);
    // Asked before the bytes come, so that nobody sends gigabytes to be refused at their end.
    const refusal = ownershipRefusal(job, held);
    if (refusal !== null) throw refusal;
    const holder = { jobId: ref.id, owner, epoch, token };
    return this.#store(artifact, { tenant: ref.tenant, holder, keepMs: null });
  }

  /** Those of a job that are seen, by everybody or by its owner, in the order of their names. */
  async list(ref: JobRef, held: Ownership | null = null): Promise<Artifact[]> {
    const [job] = await this.#context.store.read([ref]);
    if (!job) throw notFound(ref);
    const sight = await sightOf(this.#context, job, held);
    // Read after the job, which once it has succeeded gets no more of them.
    const found = await this.#context.records.artifacts.ofJob(job);
    return found.filter(({ name }) => sight.sees(name));
  }

  /** One that is seen; NOT_FOUND for all others. */
  async find(ref: ArtifactRef, held: Ownership | null = null): Promise<Artifact> {
    return (await this.look(ref, held)).artifact;
  }

  /** The same, and whether it stays as it is. */
  async look(
    ref: ArtifactRef,
    held: Ownership | null,
  ): Promise<{ artifact: Artifact; isFinal: boolean }> {
    const artifact = await this.#context.records.artifacts.find(ref);
    if (artifact === null || isValueName(artifact.name)) throw noArtifact(ref);
    const { tenant, jobId, name } = artifact;
    if (jobId === null) return { artifact, isFinal: true };
    const [job] = await this.#context.store.read([{ tenant, id: jobId }]);
    const sight = job ? await sightOf(this.#context, job, held) : null;
    if (sight === null || !sight.sees(name)) throw noArtifact(ref);
    return { artifact, isFinal: sight.isFinal };
  }

  open({ location }: Artifact, range?: ByteRange): Promise<Content> {
    return this.#files.get(location, range);
  }

  async #store(
    artifact: NewArtifact,
    whose: Pick<ArtifactCommit, 'tenant' | 'holder' | 'keepMs'>,
  ): Promise<Artifact> {
    const { name, contentType, content, size, sha256, id = this.#context.ids.next() } = artifact;
    checkArtifact({ name, contentType, id });
    const { bytesMax, tenantBytesMax } = this.#limits;
    const location = this.#context.ids.next();
    const stored = await this.#files.put(location, content, {
      bytesMax,
      ...(size === undefined ? {} : { size }),
      ...(sha256 === undefined ? {} : { sha256 }),
    });
    const commit = { ...whose, id, name, contentType, location, ...stored, tenantBytesMax };
    try {
      return await this.#commit(commit);
    } catch (error) {
      // Where the answer was lost the record may be there: the sweep finds out.
      const outcome = error instanceof StoreError ? error.outcome : null;
      if (outcome !== 'unknown') await this.#discard([location]);
      if (outcome !== 'refused') throw error;
      return this.#sameAsBefore(commit, error);
    }
  }

  /** The id is taken: by this very artifact, sent again, or by another. */
  async #sameAsBefore(commit: ArtifactCommit, refusal: unknown): Promise<Artifact> {
    const { tenant, id, sha256, name, holder } = commit;
    const found = await this.#context.records.artifacts.find({ tenant, id });
    if (found === null) throw refusal;
    const isSame = found.sha256 === sha256 && found.name === name;
    if (isSame && found.jobId === (holder?.jobId ?? null)) return found;
    throw new PawlError('ALREADY_EXISTS', `the id ${id} is taken by another artifact`);
  }

  async #commit(commit: ArtifactCommit): Promise<Artifact> {
    const outcome = await this.#context.records.artifacts.commit(commit);
    const { holder, keepMs, tenantBytesMax, ...rest } = commit;
    switch (outcome.kind) {
      case 'lost':
        throw await this.#lost({ tenant: commit.tenant, id: holder!.jobId }, holder!.owner);
      case 'overQuota': {
        const message = `${outcome.usedBytes} of ${tenantBytesMax} bytes are used already`;
        throw new PawlError('QUOTA_EXCEEDED', message);
      }
      case 'committed': {
        const { at, replaced } = outcome;
        if (replaced !== null) await this.#discard([replaced]);
        const expiresAt = keepMs === null ? null : at + keepMs;
        return { ...rest, jobId: holder?.jobId ?? null, createdAt: at, expiresAt };
      }
    }
  }

  async #lost(ref: JobRef, owner: string): Promise<PawlError> {
    const [job] = await this.#context.store.read([ref]);
    return job ? leaseLost(job, owner) : notFound(ref);
  }

  /** What cannot be removed now is an orphan, which the sweep removes later. */
  async #discard(locations: readonly string[]): Promise<void> {
    try {
      await this.#files.remove(locations);
    } catch (error) {
      const facts = { locations, error: String(error) };
      this.#context.log.warn(
        'the bytes of an artifact could not be removed now; a sweep removes them',
        facts,
      );
    }
  }
}

function noArtifact({ id }: ArtifactRef): PawlError {
  return new PawlError('NOT_FOUND', `there is no artifact ${id}`);
}

function checkNotValue(name: string): void {
  if (!isValueName(name)) return;
  const message = 'must not begin with "$": such names are the platform\'s own';
  throw invalid([{ pointer: '/name', message }]);
}

const NAME_LENGTH_MAX = 512;

function checkArtifact(artifact: Pick<Artifact, 'name' | 'contentType' | 'id'>): void {
  const { name, contentType, id } = artifact;
  const faults: Fault[] = [];
  if (name === '' || name.length > NAME_LENGTH_MAX || hasControl(name)) {
    const message = `must be 1 to ${NAME_LENGTH_MAX} characters, none of them a control character`;
    faults.push({ pointer: '/name', message });
  }
  if (!/^[\w!#$&^.+-]{1,127}\/[\w!#$&^.+-]{1,127}(;[ -~]{0,255})?$/.test(contentType)) {
    faults.push({ pointer: '/contentType', message: 'must be a media type, such as text/plain' });
  }
  if (!isUuid(id)) faults.push({ pointer: '/id', message: 'must be a UUID in lower case' });
  if (faults.length > 0) throw invalid(faults);
}

function hasControl(text: string): boolean {
  return /\p{Cc}|\p{Cs}/u.test(text);
}
