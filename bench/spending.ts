import { readdir, readFile } from "node:fs/promises"
import { join } from "node:path"
import { fileURLToPath } from "node:url"

/** A CPU profile of V8 (Chrome DevTools Protocol, Profiler.Profile); times in µs. */
export type Profile = {
  nodes: { id: number; callFrame: { functionName: string; url: string }; children?: number[] }[]
  samples: number[]
  timeDeltas: number[]
}

/** What one process spends on a request, dearest first. `share` is of its CPU time. */
export type Spending = { process: string; shares: { on: string; share: number }[] }

const ROOT = join(import.meta.dirname, "..")
/** What comes before is start and warm-up. */
const MEASURED_PART = 0.13

/** By the name of the function that holds the time. */
const FUNCTIONS = new Map([
  ["verifyOneShot", "verification of stamps"],
  ["ecdsaSign", "the signature"],
  ["signOneShot", "the signature"],
  ["hash", "hashes"],
  ["(garbage collector)", "garbage collection"],
  ["(program)", "event loop and system calls"],
])

/** By the path of the nearest file on the stack that is in the list. */
const PLACES: readonly (readonly [part: string, on: string])[] = [
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

/** Reads the profiles of a directory: what each process does with its CPU time while it is loaded. */
export async function spendingOf(directory: string): Promise<Spending[]> {
  const names = (await readdir(directory)).filter((name) => name.endsWith(".cpuprofile"))
  const read = async (name: string) =>
    spendingIn(JSON.parse(await readFile(join(directory, name), "utf8")) as Profile)
  return await Promise.all(names.toSorted().map(read))
}

export function spendingIn(profile: Profile): Spending {
  const on = placesOf(profile)
  const endUs = profile.timeDeltas.reduce((sum, delta) => sum + delta, 0)
  const times = new Map<string, number>()
  let nowUs = 0
  for (const [index, id] of profile.samples.entries()) {
    const deltaUs = profile.timeDeltas[index] ?? 0
    nowUs += deltaUs
    const place = on.get(id)
    if (place === undefined || nowUs < endUs * (1 - MEASURED_PART)) continue
    times.set(place, (times.get(place) ?? 0) + deltaUs)
  }
  const total = [...times.values()].reduce((sum, time) => sum + time, 0)
  const shares = [...times].map(([name, time]) => ({ on: name, share: time / total }))
  const isSigner = shares.some(({ on: name }) => name.startsWith("signer/enclave"))
  return { process: isSigner ? "signer" : "API", shares: shares.toSorted((a, b) => b.share - a.share) }
}

/** What each node's own time is spent on; without idle time. */
function placesOf({ nodes }: Profile): Map<number, string> {
  const byId = new Map(nodes.map((node) => [node.id, node]))
  const parents = new Map(
    nodes.flatMap(({ id, children = [] }) => children.map((child) => [child, id] as const)),
  )
  const places = new Map<number, string>()
  for (const { id, callFrame } of nodes) {
    if (callFrame.functionName === "(idle)") continue
    let place = FUNCTIONS.get(callFrame.functionName)
    for (let at: number | undefined = id; place === undefined && at !== undefined; at = parents.get(at))
      place = placeOf(byId.get(at)?.callFrame.url ?? "")
    places.set(id, place ?? "streams, timers and promises of Node")
  }
  return places
}

function placeOf(url: string): string | undefined {
  const path = url.startsWith("file:") ? fileURLToPath(url).replace(`${ROOT}/`, "") : url
  const known = PLACES.find(([part]) => path.startsWith(part))?.[1]
  return known ?? ROOMS.exec(path)?.[0].replace(/\/$/, "")
}

/** A table of Markdown. */
export function writeSpending({ process, shares }: Spending): string {
  const rows = shares
    .filter(({ share }) => share >= 0.005)
    .map(({ on, share }) => `| ${on} | ${(share * 100).toFixed(1)} % |`)
  return [`| ${process} spends on | of its CPU |`, "|---|---|", ...rows, ""].join("\n")
}
