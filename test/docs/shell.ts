// As much of a shell as documents need: lines, quotes, comments, variables before a command.

/** The commands of a block, each as its words; what a pipe or `&&` joins is several. */
export function commandsIn(text: string): string[][] {
  const joined = text.replaceAll(/\\\n\s*/g, ' ');
  return joined.split('\n').flatMap((line) => split(wordsIn(line)));
}

const TOKEN = /'([^']*)'|"((?:[^"\\]|\\.)*)"|(#.*$)|(&&|\|\||[|;&])|([^\s'"|;&]+)/g;

interface Word {
  readonly text: string;
  readonly isJoint: boolean;
}

function wordsIn(line: string): Word[] {
  const words: Word[] = [];
  let end = -1;
  for (const match of line.matchAll(TOKEN)) {
    const [all, single, double, comment, joint, bare] = match;
    const isStart = match.index !== end;
    if (comment !== undefined && isStart) break;
    const text = single ?? double ?? comment ?? joint ?? bare ?? '';
    const last = words.at(-1);
    // A word may have quotes in its middle: --input='{"a":1}'
    if (isStart || last === undefined || joint !== undefined || last.isJoint) {
      words.push({ text, isJoint: joint !== undefined });
    } else words[words.length - 1] = { text: last.text + text, isJoint: false };
    end = match.index + all.length;
  }
  return words;
}

function split(words: readonly Word[]): string[][] {
  const commands: string[][] = [[]];
  for (const { text, isJoint } of words) {
    if (isJoint) commands.push([]);
    else commands.at(-1)!.push(text);
  }
  return commands
    .map((command) => command.slice(command.findIndex((word) => !/^\w+=/.test(word))))
    .filter((command) => command.length > 0 && !/^\w+=/.test(command[0]!));
}
