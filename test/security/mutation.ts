/** A control taken away in one place, and the tests that must notice. */
export interface Mutation {
  readonly control: string;
  /** What somebody could have done, in words. */
  readonly mistake: string;
  readonly file: string;
  /** It is in the file exactly once. */
  readonly from: string;
  readonly to: string;
  readonly tests: string;
}
