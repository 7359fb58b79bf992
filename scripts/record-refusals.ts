// Loaded into every process of a whole test run: records each refusal code when a refusal is made, one file a process, in
// the folder named by this module's query. The source of `Refusal` is extended while it is loaded. Nothing else of the
// tested code changes.
import { appendFileSync } from "node:fs"
import { registerHooks } from "node:module"
import { join } from "node:path"
import { threadId } from "node:worker_threads"

const folder = new URL(import.meta.url).searchParams.get("folder") ?? ""
const file = join(folder, `${process.pid}-${threadId}`)
const recorded = new Set<unknown>()

Reflect.set(globalThis, Symbol.for("countersign.recordRefusal"), (code: unknown) => {
  if (recorded.has(code)) return
  recorded.add(code)
  appendFileSync(file, `${String(code)}\n`)
})

const RECORDING = `
Refusal = new Proxy(Refusal, {
  construct(target, words, made) {
    globalThis[Symbol.for("countersign.recordRefusal")](words[0])
    return Reflect.construct(target, words, made)
  },
})
`

registerHooks({
  load(url, context, nextLoad) {
    const loaded = nextLoad(url, context)
    if (!url.endsWith("/signer/core/refusal.ts") || loaded.source == null) return loaded
    return { ...loaded, source: `${Buffer.from(loaded.source as string).toString()}${RECORDING}` }
  },
})
