import type { ComponentChildren } from 'preact';
import type { Scope } from '../../../pawl/src/contract/role.ts';
import { may, refusalOf } from '../me.ts';
import { Icon } from './icon.tsx';
import { say } from './notice.tsx';

interface Given {
  /** What the server asks for it. */
  readonly needs: Scope;
  readonly onClick: () => void;
  readonly class?: string;
  readonly title?: string;
  readonly label?: string;
  readonly isBusy?: boolean;
  readonly children: ComponentChildren;
}

/** A button that changes something: who may not use it sees so, and can read why. */
export function Action({ needs, onClick, title, label, isBusy = false, children, ...own }: Given) {
  const isAllowed = may(needs);
  return (
    <button
      type="button"
      class={own.class ?? ''}
      aria-label={label}
      aria-disabled={isAllowed ? undefined : 'true'}
      disabled={isBusy}
      title={isAllowed ? title : refusalOf(needs)}
      onClick={() => (isAllowed ? onClick() : say(refusalOf(needs)))}
    >
      {!isAllowed && <Icon name="lock" />}
      {children}
    </button>
  );
}
