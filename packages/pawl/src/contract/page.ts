import { type Static, Type } from 'typebox';
import { closed, nullable } from './values.ts';

/** What the dashboard is told before anybody has signed in. */
export const PageSchema = closed({
  signIn: nullable(
    closed({
      issuer: Type.String({ description: 'The identity provider; its discovery tells the rest.' }),
      clientId: Type.String(),
      scope: Type.String(),
    }),
  ),
  traceUrl: nullable(
    Type.String({ description: 'Where a trace is shown, with {traceId} in the place of its id.' }),
  ),
});

export type PageSettings = Static<typeof PageSchema>;

export type SignInSettings = NonNullable<PageSettings['signIn']>;

export const BARE_PAGE: PageSettings = { signIn: null, traceUrl: null };
