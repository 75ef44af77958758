import type { JobInvariant } from './invariant.ts';
import { at, type Finding } from './violation.ts';

export const progress: JobInvariant = {
  id: 'I9',
  sentence: 'neither progress nor time ever goes back in the log of a job',
  check: ({ stream }) =>
    stream.flatMap((event, index): Finding[] => {
      const before = stream[index - 1];
      if (before === undefined) return [];
      const findings: Finding[] = [];
      if (event.progress < before.progress) {
        const fall = `progress fell from ${before.progress} to ${event.progress}`;
        findings.push(at(event.version, `${fall} with ${event.type}`));
      }
      if (event.at < before.at) {
        const back = `${event.type} is ${before.at - event.at} ms older`;
        findings.push(at(event.version, `${back} than ${before.type} before it`));
      }
      return findings;
    }),
};
