import { readdir, readFile } from "node:fs/promises"
import { join } from "node:path"
import { fileURLToPath } from "node:url"

type Profile = {
  nodes: { id: number; callFrame: { functionName: string; url: string; lineNumber: number } }[]
  samples: number[]
  timeDeltas: number[]
}

const ROOT = join(import.meta.dirname, "..")
const LONGEST_LIST = 25
const IDLE = ["(idle)", "(program)"]

/** Functions by self time, from a directory of CPU profiles; idle time is separate. */
export async function hottestOf(directory: string): Promise<string> {
  const names = (await readdir(directory)).filter((name) => name.endsWith(".cpuprofile"))
  const parts = names.map(async (name) => hottest(JSON.parse(await readFile(join(directory, name), "utf8"))))
  return (await Promise.all(parts)).join("\n")
}

function hottest({ nodes, samples, timeDeltas }: Profile): string {
  const nameOf = new Map(nodes.map(({ id, callFrame }) => [id, describe(callFrame)]))
  const times = new Map<string, number>()
  for (const [index, id] of samples.entries()) {
    const name = nameOf.get(id) ?? "?"
    if (!IDLE.includes(name)) times.set(name, (times.get(name) ?? 0) + (timeDeltas[index] ?? 0))
  }
  const total = [...times.values()].reduce((sum, time) => sum + time, 0)
  const main =
    [...nameOf.values()].find((name) => /(?:signer|services\/api)\/main\.ts/.test(name)) ?? "a process"
  const lines = [...times]
    .toSorted(([, a], [, b]) => b - a)
    .slice(0, LONGEST_LIST)
    .map(([name, time]) => `${((time * 100) / total).toFixed(1).padStart(5)} %  ${name}`)
  return [`## ${main}: ${(total / 1e6).toFixed(1)} s`, ...lines, ""].join("\n")
}

function describe({ functionName, url, lineNumber }: Profile["nodes"][number]["callFrame"]): string {
  if (url === "") return functionName
  const path = url.startsWith("file:") ? fileURLToPath(url).replace(`${ROOT}/`, "") : url
  return `${functionName || "(anonymous)"} ${path}:${lineNumber + 1}`
}
