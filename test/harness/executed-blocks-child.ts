// Counts for executed-blocks.ts: takes a reader and texts from standard input, writes the count for each.
import { readFileSync } from "node:fs"
import { Session } from "node:inspector/promises"
import { join } from "node:path"
import type { Reader, ExecutedBlocks } from "./executed-blocks.ts"

const input = JSON.parse(readFileSync(0, "utf8")) as Reader & { texts: string[] }
const module = (await import(join(import.meta.dirname, "..", "..", input.module))) as Record<string, unknown>
const read = module[input.name] as (text: string) => unknown

function thrownBy(text: string): { thrown?: string } {
  try {
    read(text)
    return {}
  } catch (error) {
    return { thrown: error instanceof Error ? error.name : String(error) }
  }
}

const session = new Session()
session.connect()
await session.post("Profiler.enable")
await session.post("Profiler.startPreciseCoverage", { callCount: true, detailed: true })

// Not counted: the first round includes loading and preparation.
for (const text of input.texts.slice(0, 1)) thrownBy(text)

/** Reads and resets the counts. */
async function takeCount(): Promise<number> {
  const { result } = await session.post("Profiler.takePreciseCoverage")
  const ranges = result.flatMap(({ functions }) => functions.flatMap((one) => one.ranges))
  return ranges.reduce((sum, { count }) => sum + count, 0)
}

const works: ExecutedBlocks[] = []
for (const text of input.texts) {
  await takeCount()
  const { thrown } = thrownBy(text)
  works.push({ blocks: await takeCount(), ...(thrown !== undefined && { thrown }) })
}
process.stdout.write(JSON.stringify(works))
