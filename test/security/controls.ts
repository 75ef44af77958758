/** What could be done to the platform, what stands against it, and where that is written. */
export interface Control {
  readonly threat: string;
  readonly control: string;
  /** Where the control lives: files or folders of the repository. */
  readonly places: readonly string[];
}

/** Every control by its number; a test somewhere has the number in its title. */
export const CONTROLS: Readonly<Record<string, Control>> = {
  S1: {
    threat: 'keys are stolen from the database',
    control: 'only a hash of a long random secret is kept; keys expire, rotate and are revoked',
    places: ['packages/server/src/auth/key-text.ts', 'packages/server/src/auth/authenticator.ts'],
  },
  S2: {
    threat: 'a token that is not the provider’s is believed',
    control: 'one issuer, one audience, one list of algorithms, keys from one configured place',
    places: ['packages/server/src/auth/token.ts'],
  },
  S3: {
    threat: 'one tenant reaches what belongs to another',
    control: 'the tenant comes from the credential alone and leads every key and query',
    places: [
      'packages/server/src/http/services.ts',
      'packages/server/src/http/require-home.ts',
      'packages/pawl/src/store/postgres/reader-role.ts',
    ],
  },
  S4: {
    threat: 'a credential does more than its role allows',
    control: 'one table of scopes by route; what is not in it is refused',
    places: [
      'packages/server/src/http/access.ts',
      'packages/pawl/src/contract/role.ts',
      'packages/server/src/auth/manage-keys.ts',
    ],
  },
  S5: {
    threat: 'somebody reports for the owner of a job',
    control: 'owner, epoch and deadline are compared in the very statement that writes',
    places: ['packages/pawl/src/engine/owner.ts', 'packages/pawl/src/store'],
  },
  S6: {
    threat: 'the platform is made to call a private place',
    control: 'one guarded client: all addresses checked, the socket bound to them, no redirects',
    places: ['packages/server/src/outgoing', 'packages/ogc/src/gateway/locations.ts'],
  },
  S7: {
    threat: 'a signed link is altered, moved or kept too long',
    control: 'method, path, tenant, version, name and time are signed, in one spelling',
    places: ['packages/pawl/src/artifact/link.ts', 'packages/server/src/http/artifacts.ts'],
  },
  S8: {
    threat: 'a script in a payload or an artifact runs in the page',
    control: 'artifacts are saved and sandboxed, the dashboard renders text under a strict policy',
    places: [
      'packages/server/src/http/download.ts',
      'packages/server/src/http/home.ts',
      'packages/dashboard/src',
    ],
  },
  S9: {
    threat: 'a page of another origin acts for the person in front of it',
    control: 'bearer credentials only; without any, no foreign origin and no foreign name',
    places: ['packages/server/src/http/access.ts'],
  },
  S10: {
    threat: 'a text becomes a header, a log line or an event of its own',
    control: 'texts are encoded where they are written: JSON in streams, RFC 6266 in headers',
    places: [
      'packages/server/src/http/sse-frame.ts',
      'packages/server/src/http/download.ts',
      'packages/server/src/app/log.ts',
    ],
  },
  S11: {
    threat: 'a member of a body becomes a prototype',
    control: 'such names are refused before parsing, and unknown members after it',
    places: ['packages/server/src/http/json-scan.ts', 'packages/pawl/src/contract'],
  },
  S12: {
    threat: 'a pattern takes for ever on a mean text',
    control: 'no pattern comes from outside, and none has a quantifier within a quantifier',
    places: ['packages/pawl/src/contract/values.ts'],
  },
  S13: {
    threat: 'a caller takes all memory or time',
    control: 'bounds on size, depth, members, batches, pages, rate, and time to send',
    places: [
      'packages/server/src/http/json-scan.ts',
      'packages/server/src/http/body-deadline.ts',
      'packages/server/src/http/rate-limit.ts',
    ],
  },
  S14: {
    threat: 'streams take all memory',
    control: 'streams are counted, bounded in buffer and life, and hold nothing for slow readers',
    places: [
      'packages/server/src/http/sse.ts',
      'packages/server/src/http/portion.ts',
      'packages/pawl/src/engine/live/shared-reads.ts',
    ],
  },
  S15: {
    threat: 'a webhook is forged or played again',
    control: 'Standard Webhooks: id, time and body are signed; secrets are sealed and rotate',
    places: ['packages/server/src/webhooks/signature.ts', 'packages/server/src/app/secret-box.ts'],
  },
  S16: {
    threat: 'payloads are read where they are kept',
    control: 'a codec of the client; ciphertext is bound to its tenant, job and field',
    places: ['packages/pawl/src/codec'],
  },
  S17: {
    threat: 'a secret ends up in a log',
    control: 'lines are redacted by name and by form; bodies are never logged',
    places: ['packages/pawl/src/core/redact.ts', 'packages/server/src/http/request-log.ts'],
  },
  S18: {
    threat: 'a text becomes SQL',
    control: 'values go by parameters; names come from constants',
    places: ['packages/pawl/src/store/sqlite', 'packages/pawl/src/store/postgres'],
  },
  S19: {
    threat: 'the platform’s login can do everything to the database',
    control:
      'a role that may read and call verbs is enough to run; a reader sees one tenant at a time',
    places: [
      'packages/pawl/src/store/postgres/reader-role.ts',
      'packages/pawl/src/settings/migrate-setting.ts',
    ],
  },
  S20: {
    threat: 'a dependency brings what nobody wanted',
    control: 'few of them, exact, hashed, without scripts, of known licences, each with a reason',
    places: ['package.json', 'package-lock.json', 'docs/decisions'],
  },
  S21: {
    threat: 'a payload names code to be run',
    control: 'handlers are registered by the operator; a payload is data',
    places: ['packages/pawl/src/handler', 'packages/pawl/src/worker'],
  },
  S22: {
    threat: 'the platform is open by accident',
    control: 'this machine only without a word; credentials asked for everywhere else',
    places: [
      'packages/server/src/app/access-settings.ts',
      'packages/server/src/app/open-access.ts',
    ],
  },
  S23: {
    threat: 'a request is read in two ways, or under another’s name',
    control: 'a strict parser, one Host, links from the configured address',
    places: ['packages/server/src/http/edge.ts', 'packages/ogc/src/server/dependencies.ts'],
  },
  S24: {
    threat: 'answers tell what exists',
    control: 'foreign and missing are answered alike, and so are all bad credentials',
    places: ['packages/server/src/http', 'packages/server/src/auth/authenticator.ts'],
  },
  S25: {
    threat: 'keys of requests or dead letters fill the database',
    control: 'keys are short and end with their window; queues and tenants have bounds',
    places: [
      'packages/pawl/src/contract/headers.ts',
      'packages/pawl/src/engine/retention',
      'packages/pawl/src/engine/limits',
    ],
  },
  S26: {
    threat: 'nobody knows who changed something',
    control: 'every change of an administrator adds a line that nobody can edit',
    places: ['packages/server/src/http/audit-trail.ts', 'packages/server/src/auth/manage-keys.ts'],
  },
};
