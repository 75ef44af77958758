import { signal } from '@preact/signals';
import type { ComponentType } from 'preact';
import { useEffect } from 'preact/hooks';
import { Empty } from '../parts/notice.tsx';

/** Comes with the first guide that is opened, so that the dashboard's first load stays small. */
const reader = signal<ComponentType | null>(null);
const fault = signal(false);

/** The documentation of this very version, to read beside the work. */
export function GuidesPage() {
  useEffect(() => {
    import('./guides/reader.tsx').then(
      ({ Reader }) => (reader.value = Reader),
      () => (fault.value = true),
    );
  }, []);
  const Shown = reader.value;
  if (Shown !== null) return <Shown />;
  return fault.value ? (
    <Empty title="The guides could not be loaded">Is the server still running? Try again.</Empty>
  ) : (
    <Empty title="Loading…" />
  );
}
