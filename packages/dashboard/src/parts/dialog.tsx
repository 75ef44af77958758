import type { ComponentChildren } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';

interface Given {
  readonly title: string;
  /** After it has closed, by whatever way. */
  readonly onClose: () => void;
  readonly children: (close: () => void) => ComponentChildren;
}

/** A question in front of the page; Escape closes it, and the focus goes back. */
export function Dialog({ title, onClose, children }: Given) {
  const box = useRef<HTMLDialogElement>(null);
  useLayoutEffect(() => box.current?.showModal(), []);
  return (
    <dialog ref={box} aria-label={title} onClose={onClose}>
      <h1>{title}</h1>
      {children(() => box.current?.close())}
    </dialog>
  );
}
