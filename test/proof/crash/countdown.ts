/** Ends this process as kill -9 does. */
function die(): never {
  process.kill(process.pid, 'SIGKILL');
  // The signal ends the process before this loop has gone far.
  for (;;);
}

/** Counts the steps that go through it; at the n-th, before or after it, the process dies. */
export function countdown(n: number, when: string): Countdown {
  let steps = 0;
  return <Answer>(step: () => Answer): Answer => {
    const isLast = ++steps === n;
    if (isLast && when === 'before') die();
    const answer = step();
    if (!isLast) return answer;
    if (answer instanceof Promise) return answer.then(die) as Answer;
    return die();
  };
}

type Countdown = <Answer>(step: () => Answer) => Answer;
