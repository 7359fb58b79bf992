import { collectDefaultMetrics, Counter, Histogram, type Metric, Registry } from "prom-client"
import { BUCKETS, type Declared, METRICS, type MetricName } from "./declared.ts"
import { closedLabels, type Labels } from "./label-values.ts"

/** One number of a metric. `suffix`: of a histogram's part, as `_bucket`. `le`: the bound of a bucket. */
export type MetricSample = { value: number; labels?: Labels; suffix?: string; le?: string }

/** The metrics of one process. Only declared ones exist, and labels have values of closed lists. */
export class Metrics {
  readonly #registry = new Registry()
  readonly #counters = new Map<MetricName, Counter>()
  readonly #histograms = new Map<MetricName, Histogram>()

  constructor() {
    collectDefaultMetrics({ register: this.#registry })
  }

  get contentType(): string {
    return this.#registry.contentType
  }

  /** The text that Prometheus reads, format 0.0.4. */
  text(): Promise<string> {
    return this.#registry.metrics()
  }

  /** Adds to a counter. With 0 the counter is shown before anything was counted. */
  count(name: MetricName, labels: Labels = {}, by = 1): void {
    let counter = this.#counters.get(name)
    if (counter === undefined) {
      counter = new Counter({ name, ...this.#optionsOf(name) })
      this.#counters.set(name, counter)
    }
    counter.inc(closedLabels(labels), by)
  }

  /** Adds a duration to a histogram. */
  observe(name: MetricName, seconds: number, labels: Labels = {}): void {
    let histogram = this.#histograms.get(name)
    if (histogram === undefined) {
      histogram = new Histogram({ name, buckets: BUCKETS, ...this.#optionsOf(name) })
      this.#histograms.set(name, histogram)
    }
    histogram.observe(closedLabels(labels), seconds)
  }

  /** Registers metrics whose samples are read at each scrape. A metric that `read` does not return has none. */
  provide(names: readonly MetricName[], read: () => Promise<ReadonlyMap<MetricName, MetricSample[]>>): void {
    for (const name of names) this.#registry.registerMetric(readMetric(name, read))
  }

  #optionsOf(name: MetricName) {
    const { help, labels }: Declared = METRICS[name]
    return { help, labelNames: [...labels], registers: [this.#registry] }
  }
}

/** A metric as the registry reads it: prom-client's own gauges and histograms cannot be set to counts made elsewhere. */
function readMetric(name: MetricName, read: () => Promise<ReadonlyMap<MetricName, MetricSample[]>>): Metric {
  const { help, type } = METRICS[name]
  const get = async () => {
    const samples = (await read()).get(name) ?? []
    const values = samples.map(({ value, labels = {}, suffix = "", le }) => ({
      value,
      metricName: name + suffix,
      labels: { ...closedLabels(labels), ...(le !== undefined && { le }) },
    }))
    return { name, help, type, values, aggregator: "sum" }
  }
  return { name, get } as unknown as Metric
}
