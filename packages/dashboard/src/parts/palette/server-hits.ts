import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { sinceText } from '../../../../pawl/src/cli/terminal/words.ts';
import type { FoundJson } from '../../../../pawl/src/contract/search.ts';
import { get } from '../../api.ts';
import { seesAll } from '../../me.ts';
import { now } from '../../now.ts';
import { go, hrefOf } from '../../route.ts';
import type { Hit, HitGroup } from './own-hits.ts';

/** Who still types asks for nothing yet. */
const PAUSE_MS = 150;
const WORDS_MIN = 2;

interface Answer {
  readonly words: string;
  readonly found: FoundJson | null;
  readonly fault: string | null;
}

const BY: Readonly<Record<string, string>> = {
  id: 'id',
  key: 'key',
  document: 'document',
  correlation: 'correlation',
};

function jobHit({ by, job }: FoundJson['jobs'][number]): Hit {
  const told = job.error?.message ?? job.message ?? job.documentId ?? '';
  const where = BY[by] === undefined ? '' : `by ${BY[by]} · `;
  return {
    key: job.id,
    icon: 'jobs',
    title: `${job.type} …${job.id.slice(-8)}`,
    note: `${where}${sinceText(job.createdAt, now.peek())}${told === '' ? '' : ` · ${told}`}`,
    state: { state: job.state, phase: job.phase },
    run: () => go(hrefOf(['jobs', job.id])),
  };
}

function groupsOf(words: string, { jobs, queues, schedules }: FoundJson): HitGroup[] {
  const named = (names: readonly string[], kind: 'queues' | 'schedules'): Hit[] =>
    names.map((name) => ({
      key: `${kind} ${name}`,
      icon: kind,
      title: name,
      run: () => go(kind === 'queues' ? hrefOf(['queues', name]) : hrefOf(['schedules'])),
    }));
  const all: Hit = {
    key: 'all jobs',
    icon: 'search',
    title: `Show all jobs matching “${words}”`,
    run: () => go(hrefOf(['jobs'], { text: words })),
  };
  return [
    { title: 'Jobs', hits: [...jobs.map(jobHit), all] },
    { title: 'Queues', hits: named(queues, 'queues') },
    { title: 'Schedules', hits: named(schedules, 'schedules') },
  ].filter(({ hits }) => hits.length > 0);
}

function noteOf({ found, fault }: Answer): string {
  if (fault !== null) return fault;
  if (found === null) return 'Loading…';
  const { jobs, isWhole } = found.searched;
  const span = isWhole ? 'all jobs' : `the newest ${jobs.toLocaleString('en')} jobs`;
  return `Ids, keys, documents and correlations are searched in all jobs, other text in ${span}. Inputs and results are not searched.`;
}

/** What the server finds, once the typing has paused. */
export function useServerHits(typed: string): { groups: HitGroup[]; note: string } {
  const words = typed.trim();
  const answer = useSignal<Answer>({ words: '', found: null, fault: null });
  useEffect(() => {
    if (words.length < WORDS_MIN || !seesAll()) return;
    let isGone = false;
    const timer = setTimeout(() => {
      get<FoundJson>('./v1/search', { q: words, limit: 10 }).then(
        (found) => isGone || (answer.value = { words, found, fault: null }),
        (fault: Error) => isGone || (answer.value = { words, found: null, fault: fault.message }),
      );
    }, PAUSE_MS);
    return () => {
      isGone = true;
      clearTimeout(timer);
    };
  }, [words]);
  if (words.length < WORDS_MIN) {
    return { groups: [], note: '↑ ↓ move · Enter opens · Esc closes' };
  }
  if (!seesAll()) {
    return { groups: [], note: 'Pages and actions are searched; jobs on the page Jobs.' };
  }
  const { value } = answer;
  // What was found for other words would be chosen by mistake.
  const isOld = value.words !== words;
  return {
    groups: isOld || value.found === null ? [] : groupsOf(words, value.found),
    note: isOld ? 'Loading…' : noteOf(value),
  };
}
