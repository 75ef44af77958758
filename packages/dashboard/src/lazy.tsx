import type { ComponentType } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { Empty, ProblemBox } from './parts/notice.tsx';

/** A page whose code comes when it is first opened, so that the first load stays small. */
export function lazily<Props extends object>(
  load: () => Promise<ComponentType<Props>>,
): ComponentType<Props> {
  let known: ComponentType<Props> | null = null;
  return function Lazy(props: Props) {
    const [Page, setPage] = useState<ComponentType<Props> | null>(() => known);
    const [fault, setFault] = useState<Error | null>(null);
    useEffect(() => {
      if (known !== null) return;
      const open = async (): Promise<void> => {
        try {
          const page = (known = await load());
          setPage(() => page);
        } catch (cause) {
          const message =
            'This page could not be loaded. Reload it: the server may have been updated.';
          setFault(new Error(message, { cause }));
        }
      };
      void open();
    }, []);
    if (fault !== null) return <ProblemBox error={fault} />;
    return Page === null ? <Empty title="Loading…" /> : <Page {...props} />;
  };
}
