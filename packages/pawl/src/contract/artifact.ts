import { type Static, Type } from 'typebox';
import { IDEMPOTENT_BY_STATE } from './headers.ts';
import { closed, Label, nullable, Time, Uuid } from './values.ts';

/** An artifact as answers show it: with a link, without the place of its bytes. */
export const ArtifactSchema = Type.Object(
  {
    id: Uuid,
    jobId: nullable(Uuid),
    name: Label,
    size: Type.Integer({ minimum: 0 }),
    sha256: Type.String({ pattern: '^[0-9a-f]{64}$' }),
    contentType: Type.String(),
    createdAt: Time,
    expiresAt: nullable(Time),
    url: Type.String({ description: 'Valid for anyone who has it, until `urlExpiresAt`.' }),
    urlExpiresAt: Time,
  },
  {
    $id: 'Artifact',
    additionalProperties: false,
    examples: [
      {
        id: '019a8f3e-7c00-7d2a-9b1e-4f5a6b7c8d9f',
        jobId: '019a8f3e-7c00-7d2a-9b1e-4f5a6b7c8d9e',
        name: 'deck.pdf',
        size: 48_213,
        sha256: 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855',
        contentType: 'application/pdf',
        createdAt: '2026-11-15T08:00:02.250Z',
        expiresAt: null,
        url: '/v1/artifacts/019a8f3e-7c00-7d2a-9b1e-4f5a6b7c8d9f?expires=1794731402&signature=x',
        urlExpiresAt: '2026-11-15T08:30:02.000Z',
      },
    ],
  },
);

/** An artifact, as the API answers it. */
export type ArtifactJson = Static<typeof ArtifactSchema>;

/** Bytes of any type. */
export const Bytes = {
  description: 'The content.',
  content: { 'application/octet-stream': { schema: Type.Unknown({ format: 'binary' }) } },
};

export const ArtifactParams = Type.Object({ id: Uuid });

export const UploadQuery = closed({
  name: Type.Optional(Label),
  id: Type.Optional(Uuid),
});

/** What a sender says of its content, held against what comes. */
export const ContentHeaders = Type.Object({
  'content-digest': Type.Optional(
    Type.String({
      maxLength: 1_024,
      pattern: '^(?:[!-~ ]+, ?)?sha-256=:[A-Za-z0-9+/]{43}=:(?:,[!-~ ]*)?$',
      examples: ['sha-256=:47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=:'],
      fault: 'must have a SHA-256, as sha-256=:<base64>:',
      description: 'RFC 9530, with `sha-256=:<base64>:`.',
    }),
  ),
});

/** The same, where the request can be repeated. */
export const UploadHeaders = Type.Object({
  ...ContentHeaders.properties,
  ...IDEMPOTENT_BY_STATE.properties,
});
