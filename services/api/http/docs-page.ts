import { queryPaths, submitPaths } from "../../../proto/operations.ts"

let page: string | undefined

/** One static page with all operations of the catalog, without scripts or external content. */
export function docsPage(): string {
  page ??= write()
  return page
}

function write(): string {
  const submits = [...submitPaths].map(([path, entries]) =>
    row(
      `/public/v1/submit/${path}`,
      entries.map(({ type, served }) => ({ name: type, served })),
    ),
  )
  const reads = [...queryPaths].map(([path, query]) => row(`/public/v1/query/${path}`, [query]))
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>Countersign API</title>
<meta name="viewport" content="width=device-width">
<style>
  body { font: 16px/1.5 system-ui, sans-serif; margin: 2rem auto; max-width: 62rem; padding: 0 1rem }
  table { border-collapse: collapse; width: 100% } td, th { border-bottom: 1px solid #ddd; padding: .3rem; text-align: left }
  code { font-size: .9em; overflow-wrap: anywhere } .later { color: #595959 }
</style></head><body><main>
<h1>Countersign API</h1>
<p>Every request is a POST whose JSON body is stamped in the header <code>X-Stamp</code>. The whole contract is in
<a href="/openapi.json">openapi.json</a>; <a href="/readyz">readyz</a> says whether the service can answer.</p>
<h2>Activities</h2>${table(submits, "Type")}
<h2>Queries</h2>${table(reads, "Name")}
</main></body></html>
`
}

function table(rows: string[], second: string): string {
  return `<table><thead><tr><th>Path</th><th>${second}</th><th>Served</th></tr></thead><tbody>${rows.join("")}</tbody></table>`
}

/** One line of a table for each type or query of the path: versions of one path may differ in being served. */
function row(path: string, operations: readonly { name: string; served: boolean }[]): string {
  const lines = operations.map(({ name, served }) => {
    const cells = `<td><code>${name}</code></td><td>${served ? "yes" : "later (501)"}</td>`
    return { cells, style: served ? "" : ' class="later"' }
  })
  const [first, ...others] = lines
  const span = lines.length > 1 ? ` rowspan="${lines.length}"` : ""
  return [
    `<tr${first?.style}><td${span}><code>${path}</code></td>${first?.cells}</tr>`,
    ...others.map(({ cells, style }) => `<tr${style}>${cells}</tr>`),
  ].join("")
}
