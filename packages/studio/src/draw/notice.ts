import { type Account, type LossCode, lossOf } from '../deck/losses.ts';

/** What drawing could not do as the deck says. */
export interface Notice {
  readonly code: LossCode;
  readonly what: string;
  readonly text?: string;
}

/** Accounts of slides with what drawing them brought; a font that is missing is said once. */
export function withNotices(
  accounts: readonly Account[],
  notices: readonly (readonly Notice[])[],
): Account[] {
  const said = new Set<string>();
  return accounts.map((account, index) => {
    const losses = (notices[index] ?? []).flatMap(({ code, what, text }) => {
      if (code === 'FONT_SUBSTITUTED') {
        if (said.has(what)) return [];
        said.add(what);
      }
      return [lossOf({ slide: index + 1, kind: 'text' }, code, { what, text })];
    });
    return { ...account, losses: [...account.losses, ...losses] };
  });
}
