import type { Link } from './link.ts';

/** A process in a list. Members that the standard does not know are passed on. */
export interface ProcessSummary {
  readonly id: string;
  readonly version: string;
  readonly title?: string;
  readonly description?: string;
  readonly keywords?: readonly string[];
  readonly jobControlOptions?: readonly string[];
  readonly outputTransmission?: readonly string[];
  readonly links?: readonly Link[];
  readonly [member: string]: unknown;
}

/** One input or output of a process. */
export interface ProcessMember {
  readonly title?: string;
  readonly description?: string;
  readonly schema: unknown;
  readonly [member: string]: unknown;
}

/** A process with all that one must know to have it executed. */
export interface ProcessDescription extends ProcessSummary {
  readonly inputs: Readonly<Record<string, ProcessMember>>;
  readonly outputs: Readonly<Record<string, ProcessMember>>;
}
