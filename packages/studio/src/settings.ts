import { isAbsolute } from 'node:path';
import { ConfigurationError } from 'pawl/plugin';
import type { Budgets, Prices } from './ai/budget.ts';

/** Settings by name. */
type Environment = Readonly<Record<string, string | undefined>>;

/** A model behind an endpoint that speaks the chat completions of OpenAI. */
export interface ModelSettings {
  readonly baseUrl: string;
  readonly apiKey: string | null;
  readonly model: string;
}

/** What the built-in types are told. */
export interface StudioSettings {
  /** False: this platform has no types but those that are registered. */
  readonly isOn: boolean;
  readonly ai: {
    /** Null: the embedded one, which answers from documents only. */
    readonly endpoint: ModelSettings | null;
    readonly timeoutMs: number;
    readonly mayPersist: boolean;
    readonly userPerMinute: number;
    readonly organisationPerMinute: number;
    readonly stallMs: number;
    /** Null: nobody counts what answers cost. */
    readonly prices: Prices | null;
    readonly budgets: Budgets;
  };
  readonly mail: { readonly smtpUrl: string | null; readonly from: string };
  /** Checked here and read again by the jobs, which run in processes of their own. */
  readonly office: string | null;
  /** Commands that execute jobs may run, by their paths. */
  readonly executeAllow: readonly string[];
}

const OPENAI_URL = 'https://api.openai.com/v1';

export function readStudioSettings(env: Environment): StudioSettings {
  return {
    isOn: switchOf(env, 'PAWL_BUILTIN'),
    ai: {
      endpoint: readEndpoint(env),
      timeoutMs: wholeOf(env, 'PAWL_AI_TIMEOUT_MS', 120_000),
      mayPersist: switchOf(env, 'PAWL_AI_PERSIST'),
      userPerMinute: wholeOf(env, 'PAWL_AI_USER_PER_MINUTE', 60),
      organisationPerMinute: wholeOf(env, 'PAWL_AI_ORGANISATION_PER_MINUTE', 600),
      stallMs: wholeOf(env, 'PAWL_AI_STALL_MS', 60_000),
      ...readSpending(env),
    },
    mail: { smtpUrl: readSmtp(env), from: env['PAWL_MAIL_FROM'] ?? 'Pawl <pawl@localhost>' },
    office: readOffice(env),
    executeAllow: readAllowed(env),
  };
}

/** Documents leave this machine only where somebody named the model that is to read them. */
function readEndpoint(env: Environment): ModelSettings | null {
  const model = env['PAWL_AI_MODEL'] ?? '';
  const given = env['OPENAI_BASE_URL'] ?? '';
  if (model === '' && given === '') return null;
  if (model === '') {
    throw new ConfigurationError('PAWL_AI_MODEL', 'is missing: OPENAI_BASE_URL needs a model');
  }
  const baseUrl = given === '' ? OPENAI_URL : given;
  if (!/^https?:/.test(baseUrl) || !URL.canParse(baseUrl)) {
    const fault = `is "${baseUrl}": give an address such as ${OPENAI_URL}`;
    throw new ConfigurationError('OPENAI_BASE_URL', fault);
  }
  return { baseUrl, apiKey: env['OPENAI_API_KEY'] || null, model };
}

function readSpending(env: Environment): { prices: Prices | null; budgets: Budgets } {
  const perUser = amountOf(env, 'PAWL_AI_USER_BUDGET');
  const perOrganisation = amountOf(env, 'PAWL_AI_ORGANISATION_BUDGET');
  const text = env['PAWL_AI_PRICES'] ?? '';
  if (text === '') {
    if (perUser === null && perOrganisation === null) {
      return { prices: null, budgets: { perUser, perOrganisation } };
    }
    throw new ConfigurationError('PAWL_AI_PRICES', 'is missing: a budget needs prices, as 2.5/10');
  }
  const [prompt, completion, ...rest] = text.split('/').map((part) => Number(part.trim() || NaN));
  const isPrice = (value: number | undefined): boolean => value !== undefined && value >= 0;
  if (!isPrice(prompt) || !isPrice(completion) || rest.length > 0) {
    const fault = `is "${text}": give prices for a million tokens in and out, such as 2.5/10`;
    throw new ConfigurationError('PAWL_AI_PRICES', fault);
  }
  return {
    prices: { prompt: prompt!, completion: completion! },
    budgets: { perUser, perOrganisation },
  };
}

function amountOf(env: Environment, name: string): number | null {
  const text = env[name] ?? '';
  if (text === '') return null;
  const value = Number(text);
  if (value > 0 && value <= 1_000_000_000) return value;
  throw new ConfigurationError(name, `is "${text}": give an amount for one day, such as 5 or 0.5`);
}

function readSmtp(env: Environment): string | null {
  const url = env['PAWL_SMTP_URL'] ?? '';
  if (url === '') return null;
  if (/^smtps?:/.test(url) && URL.canParse(url)) return url;
  const fault = 'cannot be read: give smtp://user:password@host:587 or smtps://…';
  throw new ConfigurationError('PAWL_SMTP_URL', fault);
}

function readOffice(env: Environment): string | null {
  const path = env['PAWL_LIBREOFFICE'] ?? '';
  if (path === '') return null;
  if (path === 'off' || isAbsolute(path)) return path;
  const fault = `is "${path}": give the path of soffice, such as /usr/bin/soffice, or off`;
  throw new ConfigurationError('PAWL_LIBREOFFICE', fault);
}

function readAllowed(env: Environment): readonly string[] {
  const paths = (env['PAWL_EXECUTE_ALLOW'] ?? '').split(',').map((path) => path.trim());
  const allowed = paths.filter((path) => path !== '');
  const odd = allowed.find((path) => !isAbsolute(path));
  if (odd === undefined) return allowed;
  const fault = `has "${odd}": give absolute paths, comma-separated, such as /usr/bin/wc`;
  throw new ConfigurationError('PAWL_EXECUTE_ALLOW', fault);
}

function switchOf(env: Environment, name: string): boolean {
  const word = env[name] ?? '';
  if (word === '' || word === 'on') return true;
  if (word === 'off') return false;
  throw new ConfigurationError(name, `is "${word}": give on or off`);
}

function wholeOf(env: Environment, name: string, fallback: number): number {
  const text = env[name] ?? '';
  if (text === '') return fallback;
  const value = Number(text);
  if (Number.isInteger(value) && value >= 1 && value <= 1_000_000) return value;
  throw new ConfigurationError(name, `is "${text}": give a whole number from 1 to 1000000`);
}
