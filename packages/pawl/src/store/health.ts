/** Why a database takes no writes. `damaged`: what it holds is not what was written to it. */
export const TROUBLES = ['full', 'readOnly', 'failing', 'damaged'] as const;

export type Trouble = (typeof TROUBLES)[number];

/** Whether writes are taken. `behind`: the schema lacks what this release needs. */
export interface StoreHealth {
  readonly state: 'ok' | 'behind' | Trouble;
  /** What was wrong and where; null while the state is `ok`. */
  readonly detail: string | null;
}

export const HEALTHY: StoreHealth = { state: 'ok', detail: null };

/** What to do about each, in a sentence for those who run the platform. */
export const REMEDIES: Readonly<Record<'behind' | Trouble, string>> = {
  behind: 'Run pawl migrate.',
  full: 'Free space on the disk of the database: writes continue automatically.',
  readOnly: 'Make the database writable again: writes continue automatically.',
  failing: 'Check the disk and the log of the operating system: writes continue once it works.',
  damaged: 'Keep a copy of the database, restore the newest backup, and check the disk.',
};
