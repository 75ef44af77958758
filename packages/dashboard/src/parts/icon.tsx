/** Drawn on a square of 24, by lines alone: they take the colour of the text beside them. */
const PATHS = {
  overview: 'M4 13h6V4H4zM14 20h6v-9h-6zM4 20h6v-3H4zM14 7h6V4h-6z',
  jobs: 'M4 6h16M4 12h16M4 18h10',
  failures: 'M12 4 3 20h18zM12 10v5M12 17.6v.1',
  letters: 'M4 6h16v12H4zM4 7l8 6 8-6',
  studio: 'M4 5h16v11H4zM9 20h6M12 16v4',
  queues: 'M4 5h16v4H4zM4 10.5h16v4H4zM4 16h16v4H4z',
  workers: 'M5 5h14v14H5zM9 9h6v6H9zM9 2v3M15 2v3M9 19v3M15 19v3',
  usage: 'M4 20V10M10 20V4M16 20v-8M22 20H2',
  schedules: 'M12 3a9 9 0 1 0 .1 0M12 7v5l4 2',
  webhooks: 'M5 12a7 7 0 0 1 7-7M5 12h5M12 19a7 7 0 0 0 7-7M14 12h5',
  processes: 'M4 12h5M15 6h5M15 18h5M9 12l6-6M9 12l6 6',
  lifecycles: 'M5 9a7.5 7.5 0 0 1 13-2M19 15a7.5 7.5 0 0 1-13 2M18 3v4h-4M6 21v-4h4',
  guides: 'M5 4h9a3 3 0 0 1 3 3v13H8a3 3 0 0 1-3-3zM17 8h2v12h-2',
  audit: 'M7 3h10v18H7zM10 8h4M10 12h4M10 16h2',
  keys: 'M8 12a3.5 3.5 0 1 0-.1 0M11 11.5h10M18 11.5v3M15 11.5v2',
  doctor: 'M12 5v14M5 12h14',
  plugin: 'M8 4v5M16 4v5M6 9h12v4a6 6 0 0 1-12 0zM12 19v2',
  search: 'M10.5 4a6.5 6.5 0 1 0 .1 0M15.5 15.5 20 20',
  menu: 'M4 7h16M4 12h16M4 17h16',
  close: 'M6 6l12 12M18 6 6 18',
  copy: 'M9 9h11v11H9zM5 15H4V4h11v1',
  lock: 'M6 11h12v9H6zM8.5 11V8a3.5 3.5 0 0 1 7 0v3',
  type: 'M5 6h14M12 6v13M8 19h8',
} as const;

export type IconName = keyof typeof PATHS;

/** A small picture beside a word that says the same. */
export function Icon({ name }: { readonly name: IconName }) {
  return (
    <svg class="icon" viewBox="0 0 24 24" aria-hidden="true">
      <path d={PATHS[name]} />
    </svg>
  );
}
