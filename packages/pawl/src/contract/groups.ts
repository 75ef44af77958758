/** So many groups a caller can be in, and a job be shared with. */
export const GROUPS_MAX = 64;
export const GROUP_LENGTH_MAX = 128;
