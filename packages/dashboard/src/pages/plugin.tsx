// A page that a plug-in of the server brings, as a module of its own.
import { useEffect, useRef, useState } from 'preact/hooks';
import type { PageEntry } from '../../../pawl/src/contract/page.ts';
import { get, send } from '../api.ts';
import { ProblemBox } from '../parts/notice.tsx';

/** What a page calls the server with: the user's key goes with every request. */
const api = { get, send };

/** Called when the user goes elsewhere. */
type Leave = () => void;

interface PageModule {
  readonly mount: (element: HTMLElement, own: typeof api) => Leave | void | Promise<Leave | void>;
}

export function PluginPage({ page }: { readonly page: PageEntry }) {
  const place = useRef<HTMLDivElement>(null);
  const [fault, setFault] = useState<Error | null>(null);
  useEffect(() => {
    let isGone = false;
    let leave: Leave | void = undefined;
    const show = async (element: HTMLElement): Promise<void> => {
      const address = new URL(page.module, document.baseURI).href;
      const { mount } = (await import(/* @vite-ignore */ address)) as PageModule;
      if (isGone) return;
      leave = await mount(element, api);
      // The user was faster than the page.
      if (isGone) leave?.();
    };
    show(place.current!).catch((error: unknown) => {
      const message = `The page of the plug-in ${page.plugin} failed: ${String(error)}`;
      setFault(new Error(message, { cause: error }));
    });
    return () => {
      isGone = true;
      leave?.();
    };
  }, [page.module]);
  return (
    <>
      {fault !== null && <ProblemBox error={fault} />}
      <div ref={place} />
    </>
  );
}
