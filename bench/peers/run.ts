import { installPeers } from '../../scripts/peers/install.ts';
import { buildPawl } from './built.ts';
import type { Contender, Ground } from './contenders.ts';
import { openGround, type OpenGround, type Plot } from './grounds.ts';
import type { PeerOptions } from './options.ts';
import type { Row } from './rows/row.ts';
import { PLAIN, type Readings, type Sizes } from './scene.ts';
import { Station } from './station.ts';

/** One value as it was measured. */
export interface Reading {
  readonly contender: string;
  readonly row: string;
  readonly measure: string;
  readonly repeat: number;
  readonly value: number;
  readonly isCapped: boolean;
}

/** Somebody who is not in the tables, and why. */
export interface Absence {
  readonly contender: string;
  readonly row: string | null;
  readonly reason: string;
}

export interface Outcome {
  readonly readings: Reading[];
  readonly absences: Absence[];
  readonly conditions: string[];
  /** False until everything was measured. */
  isComplete: boolean;
}

interface Environment {
  say(text: string): void;
  /** Whoever is not through by then is left out. */
  readonly signal: AbortSignal;
}

/**
 * Contenders take turns after every row, so that a slow minute of a shared machine meets all of
 * them; every repeat begins with another one, and every other goes backwards.
 */
export async function runPeers(options: PeerOptions, around: Environment): Promise<Outcome> {
  const outcome: Outcome = { readings: [], absences: [], conditions: [], isComplete: false };
  const grounds = new Map<Ground, OpenGround>();
  try {
    if (options.isBuilt) await buildPawl();
    const installed = await withPackages(options.contenders, outcome);
    const present = await takeGrounds(installed, grounds, outcome);
    const began = performance.now();
    for (const turn of turnsOf(options, present)) {
      if (around.signal.aborted) return outcome;
      const { contender, row, repeat } = turn;
      const reason = row.absence(contender);
      if (reason === null) {
        const seconds = Math.round((performance.now() - began) / 1_000);
        around.say(`${seconds} s: ${repeat + 1}/${options.repeats} ${row.name}, ${contender.name}`);
        const ground = grounds.get(contender.ground)!;
        const played = await play(turn, ground, options.sizes);
        if (!around.signal.aborted) keep(outcome, turn, played);
      } else {
        note(outcome, { contender: contender.name, row: row.name, reason });
      }
    }
    outcome.isComplete = true;
    return outcome;
  } finally {
    for (const ground of grounds.values()) await ground.close();
  }
}

interface Turn {
  readonly contender: Contender;
  readonly row: Row;
  readonly repeat: number;
}

function turnsOf({ repeats, rows }: PeerOptions, present: readonly Contender[]): Turn[] {
  return Array.from({ length: repeats }, (_, repeat) =>
    rows.flatMap((row) =>
      inOrder(
        present.filter((each) => row.isAsked(each)),
        repeat,
      ).map((contender) => ({ contender, row, repeat })),
    ),
  ).flat();
}

/** Without the peers' packages Pawl is measured alone. */
async function withPackages(
  contenders: readonly Contender[],
  outcome: Outcome,
): Promise<readonly Contender[]> {
  const own = contenders.filter(({ product }) => product === 'pawl');
  if (own.length === contenders.length) return contenders;
  try {
    await installPeers();
    return contenders;
  } catch (error) {
    for (const { name, product } of contenders) {
      if (product !== 'pawl') note(outcome, { contender: name, row: null, reason: String(error) });
    }
    return own;
  }
}

async function takeGrounds(
  contenders: readonly Contender[],
  grounds: Map<Ground, OpenGround>,
  outcome: Outcome,
): Promise<Contender[]> {
  const missing = new Map<Ground, string>();
  for (const { ground } of contenders) {
    if (grounds.has(ground) || missing.has(ground)) continue;
    const opened = await openGround(ground).catch((error: unknown) => String(error));
    if (typeof opened === 'string') {
      missing.set(ground, opened);
      continue;
    }
    grounds.set(ground, opened);
    outcome.conditions.push(opened.conditions);
  }
  for (const { name, ground } of contenders) {
    const reason = missing.get(ground);
    if (reason !== undefined) note(outcome, { contender: name, row: null, reason });
  }
  return contenders.filter(({ ground }) => grounds.has(ground));
}

/** One that breaks is named, and does not take the others' figures with it. */
async function play(
  { contender, row }: Turn,
  ground: OpenGround,
  sizes: Sizes,
): Promise<Readings | string> {
  const { product, settings } = contender;
  let plot: Plot | null = null;
  try {
    plot = await ground.plot(contender, async (url) => {
      const station = await Station.open({ product, settings, url, rules: PLAIN, node: [] });
      await station.close();
    });
    return await row.play({ contender, plot, sizes });
  } catch (error) {
    return `it failed: ${error instanceof Error ? error.message : String(error)}`;
  } finally {
    await plot?.clear().catch(() => undefined);
  }
}

function keep(outcome: Outcome, { contender, row, repeat }: Turn, played: Readings | string): void {
  const named = { contender: contender.name, row: row.name };
  if (typeof played === 'string') {
    note(outcome, { ...named, reason: played });
    return;
  }
  const { values, capped } = played;
  for (const [measure, value] of Object.entries(values)) {
    const isCapped = capped.includes(measure);
    outcome.readings.push({ ...named, measure, repeat, value, isCapped });
  }
}

function note({ absences }: Outcome, absence: Absence): void {
  const { contender, row, reason } = absence;
  const isKnown = absences.some(
    (each) => each.contender === contender && each.row === row && each.reason === reason,
  );
  if (!isKnown) absences.push(absence);
}

function inOrder<Item>(items: readonly Item[], repeat: number): Item[] {
  const start = repeat % Math.max(1, items.length);
  const turned = [...items.slice(start), ...items.slice(0, start)];
  return repeat % 2 === 0 ? turned : turned.toReversed();
}
