/** A part of a list, in the order of ids. */
export interface RecordPage {
  /** The id of the last one of the page before. */
  readonly after?: string | undefined;
  readonly limit: number;
}
