import type { Command } from 'commander';
import { invalid } from '../core/errors.ts';
import type { Lifecycle } from '../core/lifecycle.ts';
import type { Found } from '../doctor/finding.ts';
import type { Batch } from '../engine/follow/follower.ts';
import type { JobDefinition } from '../handler/define-job.ts';
import type { Setting } from '../settings/setting.ts';
import type { TailItem } from '../store/query.ts';
import type { RecordKind } from '../store/records.ts';
import type { PluginHost } from './host.ts';
import type { PluginRoute } from './route.ts';

/** Adds a command to the program `pawl`. */
export type AddCommand = (program: Command) => void;

/** A durable reader of the log, which runs in one process at a time. */
export interface PluginFollower {
  readonly name: string;
  readonly handle: (items: readonly TailItem[], batch: Batch) => Promise<void> | void;
}

/** A periodic duty in processes with the role `sweeper`. */
export interface PluginDuty {
  readonly name: string;
  readonly everyMs: number;
  readonly run: () => Promise<void>;
}

/** A check of `pawl doctor`. */
export interface PluginCheck {
  readonly name: string;
  readonly run: () => Promise<Found> | Found;
}

/** A gauge that is read when metrics are collected. */
export interface PluginMetric {
  /** `pawl_<plug-in>_…`. */
  readonly name: string;
  readonly help: string;
  readonly read: () => number | Promise<number>;
}

/** A page of the dashboard: a module that exports `mount(element, api)`. */
export interface PluginPage {
  readonly path: string;
  readonly title: string;
  /** The file with the module, which the server sends as it is. */
  readonly module: URL;
}

/** The parts of a plug-in that may depend on settings. */
export interface PluginParts {
  readonly jobs?: readonly JobDefinition[];
  readonly routes?: readonly PluginRoute[];
  readonly followers?: readonly PluginFollower[];
  readonly duties?: readonly PluginDuty[];
  readonly checks?: readonly PluginCheck[];
  readonly metrics?: readonly PluginMetric[];
  readonly pages?: readonly PluginPage[];
  /** What programs get at `/`. */
  readonly landing?: (origin: string) => object;
}

/** A part of the platform as a value. What depends on settings is returned by `start`. */
export interface Plugin extends PluginParts {
  readonly name: string;
  readonly lifecycles?: readonly Lifecycle[];
  readonly settings?: readonly Setting[];
  readonly commands?: readonly AddCommand[];
  /** Names of scopes that its routes ask for, beside those of the platform. */
  readonly scopes?: readonly string[];
  /** Kinds of records that it keeps; it can neither read nor write others. */
  readonly records?: readonly RecordKind[];
  /** Its jobs have a worker of their own: slow receivers take no slot from anybody's work. */
  readonly hasOwnWorker?: boolean;
  /** How many jobs that worker runs at once; default: 16. */
  readonly workerSlots?: number;
  readonly start?: (host: PluginHost) => PluginParts | void | Promise<PluginParts | void>;
  /** Runs once everything is registered and the worker may begin. */
  readonly begin?: (host: PluginHost) => Promise<void> | void;
  readonly stop?: () => Promise<void> | void;
}

/** Checks the names of a plug-in and its settings, and returns it. */
export function definePlugin(plugin: Plugin): Plugin {
  const { name, settings = [] } = plugin;
  const faults = [
    ...(/^[a-z][a-z\d-]{0,30}$/.test(name)
      ? []
      : [
          {
            pointer: '/name',
            message: 'must be lower-case letters, digits and dashes, at most 31',
          },
        ]),
    ...settings.flatMap((setting, index) =>
      /^[A-Z][A-Z\d_]*$/.test(setting.name)
        ? []
        : [{ pointer: `/settings/${index}/name`, message: 'must be capitals, digits and _' }],
    ),
  ];
  if (faults.length > 0) throw invalid(faults);
  return plugin;
}
