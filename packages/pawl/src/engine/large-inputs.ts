import type { Job, JobRef, JsonText } from '../core/job.ts';

type Given = Pick<Job, 'tenant' | 'id' | 'input'>;

/** Where inputs are kept that are too large for the database. */
export interface InputPlace {
  /** The input as it was given. */
  whole(job: Given): Promise<JsonText>;
  /** What the job is to hold for an input: the input itself, or a reference to where it is kept. */
  small(ref: JobRef, input: JsonText): Promise<JsonText>;
  /** The input of another job, for a job of its own: what is kept for that one goes with it. */
  copied(ref: JobRef, origin: Given): Promise<JsonText>;
}

const IN_THE_JOB: InputPlace = {
  whole: async ({ input }) => input,
  small: async (_ref, input) => input,
  copied: async (_ref, { input }) => input,
};

/** For those who make jobs of other jobs. Inputs stay in their jobs until there is a place. */
export class LargeInputs implements InputPlace {
  #place: InputPlace = IN_THE_JOB;

  use(place: InputPlace): void {
    this.#place = place;
  }

  whole(job: Given): Promise<JsonText> {
    return this.#place.whole(job);
  }

  small(ref: JobRef, input: JsonText): Promise<JsonText> {
    return this.#place.small(ref, input);
  }

  copied(ref: JobRef, origin: Given): Promise<JsonText> {
    return this.#place.copied(ref, origin);
  }
}
