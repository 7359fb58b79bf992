import { type Declared, METRICS } from "../../services/common/metrics/declared.ts"
import { LABEL_VALUES } from "../../services/common/metrics/label-values.ts"

/** Labels whose values are too many for the document. */
const LISTED_ELSEWHERE: { readonly [label: string]: string } = {
  operation: "an operation of [api.md](api.md), a page, `preflight`, `unknown`",
  status: "an HTTP status",
  reason: "a reason of [ERRORS.md](ERRORS.md)",
}

/** The metrics for docs/OPERATIONS.md: one table for each process, then the values of the labels. */
export function tablesOfMetrics(): string {
  const all: [string, Declared][] = Object.entries(METRICS)
  const tables = [...Map.groupBy(all, ([, { process }]) => process)].map(([process, metrics]) => {
    const rows = metrics.map(([name, { type, labels, help }]) => {
      const shown = labels.map((label) => `\`${label}\``).join(", ")
      return `| \`${name}\` | ${type} | ${shown} | ${help} |`
    })
    return [`Of ${process}:`, "", "| metric | type | labels | meaning |", "|---|---|---|---|", ...rows].join(
      "\n",
    )
  })
  const labels = Object.entries(LABEL_VALUES).map(([label, values]) => {
    const listed = [...values].map((value) => `\`${value}\``).join(", ")
    return `- \`${label}\`: ${LISTED_ELSEWHERE[label] ?? listed}`
  })
  const closing = "Values of labels. Each comes from a closed list, and everything else is `other`:"
  return [...tables, `${closing}\n\n${labels.join("\n")}`].join("\n\n")
}
