import { type Static, Type } from 'typebox';
import { closed, nullable } from './values.ts';

const SETTINGS = {
  signIn: nullable(
    closed({
      issuer: Type.String({
        description: 'The identity provider; its discovery document has the rest.',
      }),
      clientId: Type.String(),
      scope: Type.String(),
    }),
  ),
  traceUrl: nullable(
    Type.String({ description: 'Where a trace is shown, with {traceId} in place of its id.' }),
  ),
};

const Settings = closed(SETTINGS);

/** A page that a plug-in adds. */
const Entry = closed({
  plugin: Type.String(),
  path: Type.String({ description: 'Path of the page, below `#/plugins/`.' }),
  title: Type.String(),
  module: Type.String({ description: 'An ES module that exports `mount(element, api)`.' }),
});

/** What the dashboard is told before anybody has signed in. */
export const PageSchema = closed({ ...SETTINGS, pages: Type.Optional(Type.Array(Entry)) });

export type PageJson = Static<typeof PageSchema>;

export type PageEntry = Static<typeof Entry>;

export type PageSettings = Static<typeof Settings>;

export type SignInSettings = NonNullable<PageSettings['signIn']>;

export const BARE_PAGE: PageSettings = { signIn: null, traceUrl: null };
