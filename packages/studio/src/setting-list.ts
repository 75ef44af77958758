import type { Setting } from 'pawl/plugin';

/** The settings of the built-in types. */
export const STUDIO_SETTINGS: readonly Setting[] = [
  { name: 'PAWL_BUILTIN', fallback: 'on', sentence: 'on or off: the built-in types of jobs.' },
  {
    name: 'PAWL_AI_MODEL',
    fallback: null,
    sentence: 'The model for ai jobs. Default: an embedded one, which answers from documents only.',
  },
  {
    name: 'OPENAI_BASE_URL',
    fallback: 'https://api.openai.com/v1',
    sentence: 'Base URL of the model server, with the chat completions API of OpenAI.',
  },
  {
    name: 'OPENAI_API_KEY',
    fallback: null,
    sentence: 'The key for that server.',
    isSecret: true,
  },
  {
    name: 'PAWL_AI_TIMEOUT_MS',
    fallback: '120000',
    sentence: 'Timeout of one model response.',
  },
  {
    name: 'PAWL_AI_STALL_MS',
    fallback: '60000',
    sentence: 'How long a model may send nothing within an answer.',
  },
  {
    name: 'PAWL_AI_PRICES',
    fallback: null,
    sentence:
      'What a million tokens cost, in and out: 2.5/10, in any currency. Answers then have a cost.',
  },
  {
    name: 'PAWL_AI_USER_BUDGET',
    fallback: null,
    sentence: 'Maximum cost of the answers to one user on one UTC day, in that currency.',
  },
  {
    name: 'PAWL_AI_ORGANISATION_BUDGET',
    fallback: null,
    sentence: 'Maximum cost of the answers to one tenant on one UTC day, in that currency.',
  },
  {
    name: 'PAWL_AI_PERSIST',
    fallback: 'on',
    sentence: 'off: model output is streamed and never stored, whatever a job requests.',
  },
  {
    name: 'PAWL_AI_USER_PER_MINUTE',
    fallback: '60',
    sentence: 'Maximum number of ai jobs of one user that start per minute.',
  },
  {
    name: 'PAWL_AI_ORGANISATION_PER_MINUTE',
    fallback: '600',
    sentence: 'Maximum number of ai jobs of one tenant that start per minute.',
  },
  {
    name: 'PAWL_SMTP_URL',
    fallback: null,
    sentence: 'SMTP server for email jobs: smtp://user:password@host:587. Default: an outbox.',
    isSecret: true,
  },
  {
    name: 'PAWL_MAIL_FROM',
    fallback: 'Pawl <pawl@localhost>',
    sentence: 'Default sender of email jobs.',
  },
  {
    name: 'PAWL_LIBREOFFICE',
    fallback: null,
    sentence:
      'The program soffice for office formats and source previews, or off. Default: on the PATH.',
  },
  {
    name: 'PAWL_EXECUTE_ALLOW',
    fallback: null,
    sentence: 'Commands that execute jobs may run: absolute paths, comma-separated.',
  },
];
