// The CPU time of a process by part of the program, from a CPU profile.
import { join } from "node:path"
import { pathToFileURL } from "node:url"
import t from "tap"
import { cpuSharesIn, type Profile, writeCpuShares } from "../../bench/cpu-shares.ts"
import { ROOT } from "../../scripts/run.ts"

const own = (path: string) => pathToFileURL(join(ROOT, path)).href

/** Functions. `caller`: number of the calling one, from 1; `ms`: its own time at the end of the run. */
const CALLS = [
  { functionName: "(root)", url: "", caller: 0, ms: 0 },
  { functionName: "(idle)", url: "", caller: 1, ms: 500 },
  { functionName: "(program)", url: "", caller: 1, ms: 10 },
  { functionName: "execute", url: own("signer/enclave/execution/execute.ts"), caller: 1, ms: 20 },
  { functionName: "verifyBody", url: own("signer/core/stamp/large-body.ts"), caller: 4, ms: 5 },
  { functionName: "verifyOneShot", url: "node:internal/crypto/sig", caller: 5, ms: 40 },
  { functionName: "nextWrite", url: own("node_modules/postgres/src/connection.js"), caller: 4, ms: 0 },
  { functionName: "writeBuffer", url: "", caller: 7, ms: 15 },
  // A function may be named like a member of Object.prototype.
  { functionName: "constructor", url: "node:internal/timers", caller: 1, ms: 10 },
]

/** A start of four seconds in one function, then the calls. */
function profile(): Profile {
  const nodes = CALLS.map(({ functionName, url }, index) => ({
    id: index + 1,
    callFrame: { functionName, url },
    children: CALLS.flatMap(({ caller }, at) => (caller === index + 1 ? [at + 1] : [])),
  }))
  return {
    nodes,
    samples: [4, ...CALLS.map((_call, index) => index + 1)],
    timeDeltas: [4_000_000, ...CALLS.map(({ ms }) => ms * 1000)],
  }
}

t.test(
  "time is counted for the nearest known function or file on the stack, without start-up and idle time",
  async (t) => {
    const cpuShares = cpuSharesIn(profile())
    t.equal(cpuShares.process, "signer")
    t.strictSame(
      cpuShares.shares
        .map(({ part, share }) => [part, Math.round(share * 100)])
        .filter(([, percent]) => percent !== 0),
      [
        ["verification of stamps", 40],
        ["signer/enclave/execution", 20],
        ["PostgreSQL client", 15],
        ["event loop and system calls", 10],
        ["streams, timers and promises of Node", 10],
        ["signer/core/stamp", 5],
      ],
    )
    t.match(
      writeCpuShares(cpuShares),
      /^\| part of the signer \| CPU time \|\n\|---\|---\|\n\| verification of stamps \| 40\.0 % \|$/m,
    )
  },
)
