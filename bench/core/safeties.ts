/** What a bare loop keeps of the product's safety; leaving one out shows its price. */
export interface Safeties {
  readonly guard: boolean;
  readonly events: boolean;
  readonly feed: boolean;
}

export interface Variant extends Safeties {
  readonly name: string;
}

const ALL: Safeties = { guard: true, events: true, feed: true };

/** The first keeps everything: what the others are compared with. */
export const VARIANTS: readonly Variant[] = [
  { name: 'with all', ...ALL },
  { name: 'no guard', ...ALL, guard: false },
  { name: 'no events', ...ALL, events: false },
  { name: 'no feed', ...ALL, feed: false },
  { name: 'none of them', guard: false, events: false, feed: false },
];
