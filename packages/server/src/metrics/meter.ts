import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from '@prometheus-io/client';
import { type LabelName, LABELS, type MetricDefinition } from './definition.ts';
import {
  type CounterName,
  type GaugeName,
  type HistogramName,
  type LabelValues,
  METRICS,
  type MetricName,
} from './registry.ts';

type Values = Readonly<Record<string, string>>;
type Instrument = Counter<string> | Gauge<string> | Histogram<string>;

/** A gauge that is not in the registry, such as a plug-in's. */
export interface ReadGauge {
  readonly name: string;
  readonly help: string;
  readonly read: () => number | Promise<number>;
}

/** What is filled in anew before each scrape. */
export type Collector = () => Promise<void>;

/** Stands for every value beyond what a label may have. */
const OTHER = 'other';

/** The instruments of the registry, in one process. What is told is bounded label by label. */
export class Meter {
  readonly #registry = new Registry();
  readonly #instruments: ReadonlyMap<string, Instrument>;
  readonly #seen: Map<LabelName, Set<string>> = new Map();
  readonly #collectors: Collector[] = [];
  #scraping: Promise<string> | null = null;

  constructor(options: { withProcess?: boolean } = {}) {
    const definitions: readonly MetricDefinition[] = Object.values(METRICS);
    this.#instruments = new Map(
      definitions.map((one) => [one.name, instrumentOf(one, this.#registry)]),
    );
    if (options.withProcess ?? true) collectDefaultMetrics({ register: this.#registry });
  }

  get contentType(): string {
    return this.#registry.contentType;
  }

  add<Name extends CounterName>(name: Name, labels: LabelValues<Name>, count: number = 1): void {
    this.#counter(name).inc(this.#bounded(labels), count);
  }

  observe<Name extends HistogramName>(name: Name, labels: LabelValues<Name>, value: number): void {
    (this.#instruments.get(name) as Histogram<string>).observe(this.#bounded(labels), value);
  }

  /** Replaces all values of a gauge: what is not there any more is not told any more. */
  set<Name extends GaugeName>(
    name: Name,
    values: readonly { readonly labels: LabelValues<Name>; readonly value: number }[],
  ): void {
    const gauge = this.#instruments.get(name) as Gauge<string>;
    gauge.reset();
    for (const { labels, value } of values) gauge.inc(this.#bounded(labels), value);
  }

  /** Adds a gauge that is read before each scrape; it is not told until it could be read. */
  addGauge({ name, help, read }: ReadGauge): void {
    const gauge = new Gauge({ name, help, registers: [this.#registry] });
    gauge.remove();
    this.collectWith(async () => gauge.set(await read()));
  }

  /** Called before each scrape, once for all scrapes that come at the same time. */
  collectWith(collector: Collector): void {
    this.#collectors.push(collector);
  }

  /** The Prometheus text. A collector that fails leaves its gauges as they were. */
  scrape(): Promise<string> {
    this.#scraping ??= this.#collect().finally(() => (this.#scraping = null));
    return this.#scraping;
  }

  async #collect(): Promise<string> {
    await Promise.allSettled(this.#collectors.map((collect) => collect()));
    return this.#registry.metrics();
  }

  #counter(name: MetricName): Counter<string> {
    return this.#instruments.get(name) as Counter<string>;
  }

  #bounded(labels: Values): Record<string, string> {
    const bounded: Record<string, string> = {};
    for (const name of Object.keys(labels) as LabelName[]) {
      bounded[name] = this.#known(name, labels[name]!);
    }
    return bounded;
  }

  #known(label: LabelName, value: string): string {
    let seen = this.#seen.get(label);
    if (seen === undefined) this.#seen.set(label, (seen = new Set()));
    if (seen.has(value)) return value;
    if (seen.size >= LABELS[label]) return OTHER;
    seen.add(value);
    return value;
  }
}

function instrumentOf(definition: MetricDefinition, register: Registry): Instrument {
  const { name, help, type, labels, buckets } = definition;
  const common = { name, help, labelNames: [...labels], registers: [register] };
  switch (type) {
    case 'counter':
      return new Counter(common);
    case 'gauge':
      return new Gauge(common);
    case 'histogram':
      return new Histogram({ ...common, buckets: [...(buckets ?? [])] });
  }
}
