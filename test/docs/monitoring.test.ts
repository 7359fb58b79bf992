// The alerts and the dashboard that are generated from the metrics, judged by Prometheus' own program.
import { execFile, spawnSync } from "node:child_process"
import { readFileSync } from "node:fs"
import { writeFile } from "node:fs/promises"
import { join } from "node:path"
import { promisify } from "node:util"
import t from "tap"
import { stringify } from "yaml"
import { ALERTS, type Alert, type Series } from "../../scripts/monitoring/alerts.ts"
import { panelFor } from "../../scripts/monitoring/dashboard.ts"
import { alertName, annotations, rulesFile, runbookAnchor } from "../../scripts/monitoring/rules.ts"
import { type Declared, METRICS } from "../../services/common/metrics/declared.ts"
import { LABEL_VALUES } from "../../services/common/metrics/label-values.ts"
import { casesOf } from "../harness/long.ts"
import { ROOT } from "./markdown.ts"

const skip = spawnSync("promtool", ["--version"]).status === 0 ? false : "needs promtool of Prometheus"
const promtool = (...words: string[]) => promisify(execFile)("promtool", words)
const metrics: [string, Declared][] = Object.entries(METRICS)

/** Metrics of an expression, each with its matchers of labels: `[name, "{…}" or ""]`. */
const selectors = (expression: string) =>
  [...expression.matchAll(/(countersign_\w+)(\{[^}]*\})?/g)].map(([, name = "", matchers = ""]) => ({
    name,
    matchers,
  }))

t.test("alerts name declared metrics, labels and values alone", async (t) => {
  for (const { name: alert, expression, fires, rests } of ALERTS) {
    for (const { name, matchers } of [expression, ...Object.keys(fires), ...Object.keys(rests)].flatMap(
      selectors,
    )) {
      const metric: Declared | undefined = new Map(metrics).get(name)
      t.ok(metric, `${alert}: ${name} is declared`)
      for (const [, label = "", values = ""] of matchers.matchAll(/(\w+)(?:=~|!=|=)"([^"]*)"/g)) {
        if (label === "instance") continue
        t.ok(
          metric?.labels.some((one) => one === label),
          `${alert}: ${name} has the label ${label}`,
        )
        const known: ReadonlySet<string> = LABEL_VALUES[label as keyof typeof LABEL_VALUES]
        for (const value of values.split("|")) t.ok(known.has(value), `${alert}: ${label} can be ${value}`)
      }
    }
  }
})

t.test("each alert has a runbook of its own, and each runbook an alert", async (t) => {
  const runbooks = readFileSync(join(ROOT, "docs/RUNBOOKS.md"), "utf8")
  const after = runbooks.slice(runbooks.indexOf("## When an alert fires"))
  const headings = [...after.matchAll(/^### (.+)$/gm)].map(([, heading]) => heading)
  t.same(
    headings,
    ALERTS.map(({ name }) => name),
  )
  t.equal(new Set(ALERTS.map(runbookAnchor)).size, ALERTS.length)
})

t.test(
  "Prometheus reads the rules, each alert fires for its fault and rests otherwise",
  { skip },
  async (t) => {
    const folder = t.testdir({ "alerts.yml": rulesFile(ALERTS) })
    const file = join(folder, "tests.yml")
    const write = (tests: readonly object[]) =>
      writeFile(
        file,
        stringify({ rule_files: ["alerts.yml"], evaluation_interval: "1m", tests }, { lineWidth: 0 }),
      )
    await t.resolves(promtool("check", "rules", join(folder, "alerts.yml")))
    await write(
      ALERTS.flatMap((alert) => [testOf(alert, alert.fires, true), testOf(alert, alert.rests, false)]),
    )
    await t.resolves(promtool("test", "rules", file))
    for (const alert of casesOf(3, ALERTS)) {
      await write([testOf(alert, alert.rests, true)])
      await t.rejects(promtool("test", "rules", file), `the judge notices that ${alert.name} does not fire`)
    }
  },
)

t.test("Prometheus reads every expression of the dashboard", { skip }, async (t) => {
  const rules = metrics.flatMap(([name, metric]) =>
    panelFor(name, metric).expressions.map(({ expression }, index) => ({
      record: `panel:${name}:${index}`,
      expr: expression.replaceAll("$__rate_interval", "5m"),
    })),
  )
  t.ok(rules.length >= metrics.length)
  const folder = t.testdir({
    "panels.yml": stringify({ groups: [{ name: "panels", rules }] }, { lineWidth: 0 }),
  })
  await t.resolves(promtool("check", "rules", join(folder, "panels.yml")))
})

t.test("the dashboard has a panel for each metric, and none overlaps", async (t) => {
  const { panels } = JSON.parse(
    readFileSync(join(ROOT, "docs/monitoring/dashboard.json"), "utf8"),
  ) as Dashboard
  const charts = panels.filter(({ type }) => type === "timeseries")
  t.equal(charts.length, metrics.length)
  t.equal(new Set(panels.map(({ id }) => id)).size, panels.length)
  const cells = charts.flatMap(({ gridPos: { x, y, w, h } }) =>
    Array.from({ length: w * h }, (_, index) => `${x + (index % w)}/${y + Math.floor(index / w)}`),
  )
  t.equal(new Set(cells).size, cells.length)
  t.ok(charts.every(({ gridPos: { x, w } }) => x + w <= 24))
})

type Place = { x: number; y: number; w: number; h: number }
type Dashboard = { panels: { id: number; type: string; gridPos: Place }[] }

/** Evaluated at the 59th minute, or the 119th of series of two hours. */
function testOf(alert: Alert, series: Series, fires: boolean) {
  const labels = Object.keys(series).flatMap((one) => [...one.matchAll(/(\w+)="([^"]*)"/g)])
  const grouped = /by \(([^)]*)\)/.exec(alert.expression)?.[1]?.split(", ") ?? []
  const shown = labels
    .filter(([, label = ""]) => grouped.includes(label))
    .map(([, label, value]) => [label, value])
  const expected = {
    exp_labels: { severity: alert.severity, ...Object.fromEntries(shown) },
    exp_annotations: annotations(alert),
  }
  return {
    interval: "1m",
    input_series: Object.entries(series).map(([one, values]) => ({ series: one, values })),
    alert_rule_test: [
      {
        eval_time: alert.minutes < 60 ? "59m" : "119m",
        alertname: alertName(alert),
        exp_alerts: fires ? [expected] : [],
      },
    ],
  }
}
