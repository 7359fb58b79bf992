// Loaded into the processes of tests by `npm run cross -- --suite`: a refused order to a signer in the test's process is sent
// again at once, and both codes are written to the folder that the query of this module's URL names. The source of test/harness/boundary.ts
// is extended while it is loaded.
import { appendFileSync } from "node:fs"
import { registerHooks } from "node:module"
import { join } from "node:path"
import { threadId } from "node:worker_threads"

const folder = new URL(import.meta.url).searchParams.get("folder") ?? ""
const file = join(folder, `${process.pid}-${threadId}`)

Reflect.set(globalThis, Symbol.for("countersign.retried"), (codes: readonly unknown[]) =>
  appendFileSync(file, `${codes.join(" ")}\n`),
)

const RETRYING = `
const executeOnce = InProcessBoundary.prototype.execute
const codeOf = ({ answer }) => answer.case === "refused" ? answer.value.code : answer.case
InProcessBoundary.prototype.execute = async function (order) {
  const answer = await executeOnce.call(this, order)
  if (answer.answer.case !== "refused") return answer
  const position = () => this.signer.state().ledger.sequence()
  const before = position()
  const again = await executeOnce.call(this, order)
  // If another order changed the ledger between the two, another refusal is no fault, so the pair is left out. A body that runs is one in any case.
  if (position() === before || again.answer.case !== "refused") globalThis[Symbol.for("countersign.retried")]([codeOf(answer), codeOf(again)])
  return answer
}
`

registerHooks({
  load(url, context, nextLoad) {
    const loaded = nextLoad(url, context)
    if (!url.endsWith("/test/harness/boundary.ts") || loaded.source == null) return loaded
    return { ...loaded, source: `${Buffer.from(loaded.source as string).toString()}${RETRYING}` }
  },
})
