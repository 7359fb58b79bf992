import { readdir, readFile } from "node:fs/promises"
import { join } from "node:path"
import { fileURLToPath } from "node:url"

/** A CPU profile of V8 (Chrome DevTools Protocol, Profiler.Profile); times in µs. */
export type Profile = {
  nodes: { id: number; callFrame: { functionName: string; url: string }; children?: number[] }[]
  samples: number[]
  timeDeltas: number[]
}

/** CPU time of one process by the part of the program that uses it, largest share first. */
export type CpuShares = { process: string; shares: { part: string; share: number }[] }

const ROOT = join(import.meta.dirname, "..")
/** Last part of a profile that is counted: start and warm-up come before it. */
const MEASURED_PART = 0.13

/** Parts by the name of the function that uses the time itself. */
const PARTS_BY_FUNCTION = new Map([
  ["verifyOneShot", "verification of stamps"],
  ["ecdsaSign", "the signature"],
  ["signOneShot", "the signature"],
  ["hash", "hashes"],
  ["(garbage collector)", "garbage collection"],
  ["(program)", "event loop and system calls"],
])

/** Parts by the beginning of a file's path: the nearest caller on the stack with such a path counts. */
const PARTS_BY_PATH: readonly (readonly [path: string, part: string])[] = [
  ["node_modules/@grpc/", "gRPC and HTTP/2"],
  ["node:internal/http2/", "gRPC and HTTP/2"],
  ["node_modules/postgres/", "PostgreSQL client"],
  ["node_modules/pino/", "log lines"],
  ["node_modules/sonic-boom/", "log lines"],
  ["node_modules/koa/", "HTTP"],
  ["node_modules/@koa/", "HTTP"],
  ["node:_http", "HTTP"],
  ["node_modules/@bufbuild/", "protobuf"],
  ["proto/", "JSON and orders as bytes"],
]
const ROOMS = /^(?:services\/[^/]+|signer\/[^/]+)\/(?:[^/]+(?=\/))?/

/** Reads the profiles of a directory: the CPU time of each process under load, by part. */
export async function cpuSharesOf(directory: string): Promise<CpuShares[]> {
  const names = (await readdir(directory)).filter((name) => name.endsWith(".cpuprofile"))
  const read = async (name: string) =>
    cpuSharesIn(JSON.parse(await readFile(join(directory, name), "utf8")) as Profile)
  return await Promise.all(names.toSorted().map(read))
}

export function cpuSharesIn(profile: Profile): CpuShares {
  const parts = partsOf(profile)
  const endUs = profile.timeDeltas.reduce((sum, delta) => sum + delta, 0)
  const times = new Map<string, number>()
  let nowUs = 0
  for (const [index, id] of profile.samples.entries()) {
    const deltaUs = profile.timeDeltas[index] ?? 0
    nowUs += deltaUs
    const part = parts.get(id)
    if (part === undefined || nowUs < endUs * (1 - MEASURED_PART)) continue
    times.set(part, (times.get(part) ?? 0) + deltaUs)
  }
  const total = [...times.values()].reduce((sum, time) => sum + time, 0)
  const shares = [...times].map(([part, time]) => ({ part, share: time / total }))
  const isSigner = shares.some(({ part }) => part.startsWith("signer/enclave"))
  return { process: isSigner ? "signer" : "API", shares: shares.toSorted((a, b) => b.share - a.share) }
}

/** The part that uses each node's own time. Idle nodes have none. */
function partsOf({ nodes }: Profile): Map<number, string> {
  const byId = new Map(nodes.map((node) => [node.id, node]))
  const parents = new Map(
    nodes.flatMap(({ id, children = [] }) => children.map((child) => [child, id] as const)),
  )
  const parts = new Map<number, string>()
  for (const { id, callFrame } of nodes) {
    if (callFrame.functionName === "(idle)") continue
    let part = PARTS_BY_FUNCTION.get(callFrame.functionName)
    for (let at: number | undefined = id; part === undefined && at !== undefined; at = parents.get(at))
      part = partOf(byId.get(at)?.callFrame.url ?? "")
    parts.set(id, part ?? "streams, timers and promises of Node")
  }
  return parts
}

function partOf(url: string): string | undefined {
  const path = url.startsWith("file:") ? fileURLToPath(url).replace(`${ROOT}/`, "") : url
  const known = PARTS_BY_PATH.find(([beginning]) => path.startsWith(beginning))?.[1]
  return known ?? ROOMS.exec(path)?.[0].replace(/\/$/, "")
}

/** A table in Markdown. */
export function writeCpuShares({ process, shares }: CpuShares): string {
  const rows = shares
    .filter(({ share }) => share >= 0.005)
    .map(({ part, share }) => `| ${part} | ${(share * 100).toFixed(1)} % |`)
  return [`| part of the ${process} | CPU time |`, "|---|---|", ...rows, ""].join("\n")
}
