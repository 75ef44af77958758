// Mistakes of a fleet that the verdict must find, and one that the store must make harmless.
import { campaign, type CampaignOptions, type CampaignReport } from './campaign.ts';
import type { World } from './world.ts';

type Planted = Pick<CampaignOptions, 'prepare' | 'world' | 'slowShare'> & {
  readonly kinds: string;
  /** What the verdict must say, at least once. */
  readonly told: RegExp;
};

type Cut = readonly [part: RegExp, rest: string];

/** What holds an owner's report to its turn, and what is left when that is taken away. */
const FENCE: readonly Cut[] = [
  [/AND [jl]\.epoch = (?:m\.epoch|p_epochs\[1\])/, ''],
  [/[jl]\.owner(?: \+ 0)? = (?:m\.owner|p_owner)/, 'true'],
  [/\((?:m\.token|p_token) IS NULL OR [jl]\.token = (?:m\.token|p_token)\)/, 'true'],
  [/[jl]\.lease_expiry > v_now/, 'true'],
];

/** The guard of the rows would refuse a report of an earlier epoch, if it said its epoch. */
const CUTS: Readonly<Record<string, readonly Cut[]>> = {
  stands: FENCE,
  complete_many: FENCE,
  take_step: [[/j\.epoch := x\.to_epoch;/, '']],
};

/** An owner's report counts whoever sends it, in whatever epoch and however late. */
async function withoutFence({ database }: World): Promise<void> {
  const functions = await database!.query<{ name: string; sql: string }>(
    `SELECT proname AS name, pg_get_functiondef(oid) AS sql FROM pg_proc
     WHERE pronamespace = 'pawl_verbs_1'::regnamespace`,
  );
  for (const [name, cuts] of Object.entries(CUTS)) {
    const sql = functions.find((one) => one.name === name)?.sql ?? '';
    const missing = cuts.filter(([part]) => !part.test(sql)).map(([part]) => String(part));
    if (missing.length > 0) throw new Error(`the fence of ${name} lacks ${missing.join(', ')}`);
    const cut = cuts.reduce((text, [part, rest]) => text.replace(part, rest), sql);
    await database!.query(`SET search_path = pawl_verbs_1, pawl; ${cut}; RESET search_path`);
  }
}

export const PLANTED_IN_FLEET: Readonly<Record<string, Planted>> = {
  'a worker reports lost jobs in the name of their new owner': {
    kinds: 'a worker stopped past its lease',
    world: { plant: 'steals' },
    slowShare: 0.5,
    told: /^I16 .*none of its turns made|^I16 .*no run in the ledger|^I5|^I4/,
  },
  'the store does not ask whose report it is': {
    kinds: 'a worker stopped past its lease',
    world: { plant: 'stays' },
    slowShare: 0.5,
    prepare: withoutFence,
    told: /^I4|^I5|^I16|^L3/,
  },
  'the database does not wait for its disk': {
    kinds: 'kill -9 of the database',
    world: { settings: { synchronous_commit: 'off', wal_writer_delay: '10s' } },
    told: /^I1 .*does not exist/,
  },
};

/** The same bad workers on a store that is as it should be. */
export const STUBBORN_WORKERS: Omit<Planted, 'told'> = {
  kinds: 'a worker stopped past its lease',
  world: { plant: 'stays' },
  slowShare: 0.5,
};

const SIZE = { faults: 4, jobs: 240, faultsPerRound: 4, lanes: 1, restMs: 30_000 };

export function attackPlanted(
  planted: Omit<Planted, 'told'>,
  seed: number,
): Promise<CampaignReport> {
  const only = ({ kind }: { kind: string }): boolean => kind === planted.kinds;
  const round = { seed, only, isTimeLeft: () => true, say: () => undefined };
  return campaign({ ...SIZE, stores: ['postgres'], ...planted, ...round });
}

const TRIES_MAX = 3;

/** What the verdict said, or null if it said nothing of the kind. */
export async function findPlantedInFleet(planted: Planted): Promise<string | null> {
  for (let seed = 1; seed <= TRIES_MAX; seed++) {
    const { violations } = await attackPlanted(planted, seed);
    const found = violations.find((violation) => planted.told.test(violation));
    if (found !== undefined) return found;
  }
  return null;
}
