import { OperationDialog } from './operation-dialog.tsx';

interface Given {
  readonly filter: Readonly<Record<string, string>>;
  readonly onClose: () => void;
}

/** `type export, queue mail`. */
function filterText(filter: Given['filter']): string {
  return Object.entries(filter)
    .map(([name, value]) => `${name} ${value}`)
    .join(', ');
}

/** Cancels every job that a filter finds and that has not ended, after showing what that is. */
export function CancelAll({ filter, onClose }: Given) {
  return (
    <OperationDialog
      title={`Cancel all jobs with ${filterText(filter)}?`}
      wish={{ action: 'cancel', filter }}
      onClose={onClose}
    />
  );
}
