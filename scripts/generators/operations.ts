import { activityTypes } from "../../proto/catalog.ts"
import { queryPaths } from "../../proto/operations.ts"

/** The operations this release serves, for docs/clients.md: activities by the resource that policies see, then queries. */
export function listOfOperations(): string {
  const served = [...activityTypes.values()].filter((entry) => entry.served)
  const groups = Map.groupBy(served, ({ resource }) => resource)
  const lines = [...groups]
    .toSorted(([a], [b]) => Number(a === "") - Number(b === ""))
    .map(([resource, entries]) => item(titleOf(resource), new Set(entries.map(({ path }) => path))))
  const queries = [...queryPaths.values()].filter((entry) => entry.served).map(({ path }) => path)
  return [...lines, item("queries", queries)].join("\n")
}

function titleOf(resource: string): string {
  return resource === "" ? "not governed by policies" : `\`${resource}\``
}

const MAX_LINE_CHARACTERS = 120

function item(title: string, paths: Iterable<string>): string {
  const lines = [`- ${title}:`]
  for (const path of [...paths].map((name, index, all) => (index < all.length - 1 ? `${name},` : name))) {
    const line = `${lines.at(-1)} ${path}`
    if (line.length <= MAX_LINE_CHARACTERS) lines[lines.length - 1] = line
    else lines.push(`  ${path}`)
  }
  return lines.join("\n")
}
