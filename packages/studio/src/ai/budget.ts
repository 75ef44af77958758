import type { RecordKey, RecordKind, RecordStore } from 'pawl/plugin';
import type { AiInput } from './input.ts';
import type { TokenUsage } from './model.ts';
import { refuse } from './refusal.ts';

/** What a tenant, or a user of it, has spent on one day: flat integers, as `add` needs them. */
export const AI_SPENDING: RecordKind = { name: 'ai-spending' };

/** Of whatever currency the operator counts in, for a million tokens. */
export interface Prices {
  readonly prompt: number;
  readonly completion: number;
}

/** The most for one UTC day, in the same currency; null for no limit. */
export interface Budgets {
  readonly perUser: number | null;
  readonly perOrganisation: number | null;
}

/** Who pays: the key that the job states, else whoever asked for it. */
export interface Payer {
  readonly tenant: string;
  readonly user: string | null;
}

/** What was set aside for an answer that is on its way. */
export interface Reservation extends Payer {
  readonly day: string;
  readonly micros: number;
}

/** What was spent on one day, by one user or (null) by all of a tenant. */
export interface Spent {
  readonly user: string | null;
  readonly cost: number;
  readonly answers: number;
  readonly promptTokens: number;
  readonly completionTokens: number;
}

const MICROS = 1_000_000;
/** Where the caller sets no limit: what most models write at most. */
const COMPLETION_TOKENS = 4_096;
const LETTERS_A_TOKEN = 3;
const KEPT_MS = 400 * 86_400_000;
const USERS_MAX = 10_000;

/** Counts what answers cost, and refuses those that a budget does not cover. */
export class Spending {
  readonly #records: RecordStore;
  readonly #prices: Prices;
  readonly #budgets: Budgets;

  constructor(records: RecordStore, prices: Prices, budgets: Budgets) {
    this.#records = records;
    this.#prices = prices;
    this.#budgets = budgets;
  }

  costOf({ prompt, completion }: Pick<TokenUsage, 'prompt' | 'completion'>): number {
    const { prompt: priceIn, completion: priceOut } = this.#prices;
    return (prompt * priceIn + completion * priceOut) / 1_000_000;
  }

  /** Sets aside what an answer may cost at most, so that answers at once cannot spend it twice. */
  async reserve(payer: Payer, input: AiInput, letters: number): Promise<Reservation> {
    const most = this.costOf({
      prompt: Math.ceil(letters / LETTERS_A_TOKEN),
      completion: input.maxTokens ?? COMPLETION_TOKENS,
    });
    const { at } = await this.#records.read([keyOf(payer.tenant, dayOf(0), null)]);
    const reservation = { ...payer, day: dayOf(at), micros: Math.ceil(most * MICROS) };
    const { perUser, perOrganisation } = this.#budgets;
    const outcome = await this.#records.write(
      keysOf(reservation).map((key, index) => {
        const budget = index === 0 ? perOrganisation : perUser;
        const max = budget === null ? {} : { max: { micros: Math.floor(budget * MICROS) } };
        return {
          op: 'add' as const,
          ...key,
          members: { micros: reservation.micros },
          ...max,
          dueInMs: KEPT_MS,
        };
      }),
    );
    if (outcome.kind === 'written') return reservation;
    const whose = outcome.index === 0 ? 'this tenant' : `“${payer.user}”`;
    const what = `the budget of ${whose} for ${reservation.day} does not cover this answer`;
    throw refuse('AI_BUDGET_SPENT', what);
  }

  /** Counts what was used in the place of what was set aside; null: nothing was. */
  async settle(reservation: Reservation, usage: TokenUsage | null): Promise<void> {
    const micros = usage === null ? 0 : Math.ceil(this.costOf(usage) * MICROS);
    const counted =
      usage === null
        ? {}
        : { answers: 1, promptTokens: usage.prompt, completionTokens: usage.completion };
    const members = { micros: micros - reservation.micros, ...counted };
    await this.#records.write(
      keysOf(reservation).map((key) => ({ op: 'add', ...key, members, dueInMs: KEPT_MS })),
    );
  }

  /** What a tenant has spent on a day (`2026-11-19`): in all, and by each user. */
  async spent(tenant: string, day: string | null): Promise<{ day: string; spent: Spent[] }> {
    const { at } = await this.#records.read([keyOf(tenant, dayOf(0), null)]);
    const wanted = day ?? dayOf(at);
    const total = await this.#records.read([keyOf(tenant, wanted, null)]);
    const users = await this.#records.list({
      kind: AI_SPENDING,
      tenants: [tenant],
      // The ids of users begin with the day and a blank.
      after: wanted,
      before: `${wanted}!`,
      limit: USERS_MAX,
    });
    const found = [...total.records.filter((one) => one !== null), ...users.records];
    const spent = found.map(({ id, body }) => {
      const counts = JSON.parse(body) as Readonly<Record<string, number>>;
      return {
        user: userIn(id),
        cost: (counts['micros'] ?? 0) / MICROS,
        answers: counts['answers'] ?? 0,
        promptTokens: counts['promptTokens'] ?? 0,
        completionTokens: counts['completionTokens'] ?? 0,
      };
    });
    return { day: wanted, spent };
  }
}

function dayOf(at: number): string {
  return new Date(at).toISOString().slice(0, 10);
}

function keyOf(tenant: string, day: string, user: string | null): RecordKey {
  return { kind: AI_SPENDING, tenant, id: user === null ? day : `${day} ${user}` };
}

function userIn(id: string): string | null {
  return id.length === 10 ? null : id.slice(11);
}

/** The tenant's first. */
function keysOf({ tenant, day, user }: Reservation): RecordKey[] {
  return [keyOf(tenant, day, null), ...(user === null ? [] : [keyOf(tenant, day, user)])];
}
