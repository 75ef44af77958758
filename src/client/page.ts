/** One page of a list; `nextCursor` is null on the last one. */
export interface Page<Item> {
  readonly items: readonly Item[];
  readonly nextCursor: string | null;
}

/** What every list can be asked for. */
export interface Paging {
  readonly limit?: number;
  readonly cursor?: string;
}
