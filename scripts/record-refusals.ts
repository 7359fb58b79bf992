// Loaded into every process of a whole test run: records each refusal code when the tested code makes a refusal, one file a
// process, in the folder named by this module's query. The source of `Refusal` is extended while it is loaded. Nothing else of
// the tested code changes.
import { appendFileSync } from "node:fs"
import { registerHooks } from "node:module"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { threadId } from "node:worker_threads"

const folder = new URL(import.meta.url).searchParams.get("folder") ?? ""
const file = join(folder, `${process.pid}-${threadId}`)
const recorded = new Set<unknown>()

Reflect.set(globalThis, Symbol.for("countersign.recordRefusal"), (code: unknown) => {
  if (recorded.has(code) || !isMadeByTestedCode()) return
  recorded.add(code)
  appendFileSync(file, `${String(code)}\n`)
})

const TESTS = fileURLToPath(new URL("../test/", import.meta.url))
/** A line of a stack in this module, or where refusals are constructed. */
const OF_RECORDER = /\/scripts\/record-refusals\.ts|\/signer\/core\/refusal\.ts/
/** Functions that read a refusal of another program, which may be a stub of a test. That program records its own. */
const OF_READER = /at (?:refusalOf|readRefused) \(.*\/(?:signer\/grpc-client|fetch-orders\/statement)\.ts/
/** Lines of a stack up to the code that asked for the refusal: three of the recorder, `refuse`, and that code. */
const STACK_LINES = 8

/** False for a refusal that a test makes: some tests make one of each code, which says nothing of the tested code. */
function isMadeByTestedCode(): boolean {
  const { stackTraceLimit } = Error
  Error.stackTraceLimit = STACK_LINES
  const [, ...lines] = String(new Error("where").stack).split("\n")
  Error.stackTraceLimit = stackTraceLimit
  const line = lines.find((one) => !OF_RECORDER.test(one)) ?? ""
  return !line.includes(TESTS) && !OF_READER.test(line)
}

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
