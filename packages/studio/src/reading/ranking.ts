import { termsOf } from './words.ts';

/** What is known of the texts that are searched, as it is kept: plain data. */
export interface Statistics {
  /** How many terms each text has. */
  readonly lengths: readonly number[];
  /** For each term the texts it is in, each with how often. */
  readonly postings: Readonly<Record<string, readonly (readonly [text: number, times: number])[]>>;
}

export interface Ranked {
  /** Which of the texts, from 0. */
  readonly text: number;
  readonly score: number;
}

/** How soon more of the same word says no more, and how much long texts are held back: as usual. */
const K = 1.2;
const B = 0.75;

export function statisticsOf(texts: readonly string[]): Statistics {
  const postings = new Map<string, [number, number][]>();
  const lengths = texts.map((text, index) => {
    const terms = termsOf(text);
    const times = new Map<string, number>();
    for (const term of terms) times.set(term, (times.get(term) ?? 0) + 1);
    for (const [term, count] of times) {
      const list = postings.get(term);
      if (list === undefined) postings.set(term, [[index, count]]);
      else list.push([index, count]);
    }
    return terms.length;
  });
  return { lengths, postings: Object.fromEntries(postings) };
}

/** The texts that have to do with a query, the best first, by Okapi BM25. */
export function rank({ lengths, postings }: Statistics, query: string): Ranked[] {
  const mean = lengths.reduce((sum, length) => sum + length, 0) / Math.max(1, lengths.length);
  const scores = new Map<number, number>();
  for (const term of new Set(termsOf(query))) {
    const list = Object.hasOwn(postings, term) ? postings[term]! : [];
    const weight = Math.log(1 + (lengths.length - list.length + 0.5) / (list.length + 0.5));
    for (const [text, times] of list) {
      const bulk = 1 - B + (B * lengths[text]!) / Math.max(1, mean);
      const score = (weight * times * (K + 1)) / (times + K * bulk);
      scores.set(text, (scores.get(text) ?? 0) + score);
    }
  }
  return [...scores]
    .map(([text, score]) => ({ text, score }))
    .toSorted((one, other) => other.score - one.score || one.text - other.text);
}
