// What a process spends its time on, by its CPU profile.
import { join } from "node:path"
import { pathToFileURL } from "node:url"
import t from "tap"
import { type Profile, spendingIn, writeSpending } from "../../bench/spending.ts"
import { ROOT } from "../../scripts/run.ts"

const own = (path: string) => pathToFileURL(join(ROOT, path)).href

/** Functions, each called by the one before it unless it names its caller; `ms` is its own time at the end of the run. */
const CALLS = [
  { functionName: "(root)", url: "", caller: 0, ms: 0 },
  { functionName: "(idle)", url: "", caller: 1, ms: 500 },
  { functionName: "(program)", url: "", caller: 1, ms: 10 },
  { functionName: "execute", url: own("signer/enclave/execution/execute.ts"), caller: 1, ms: 20 },
  { functionName: "verifyBody", url: own("signer/core/stamp/large-body.ts"), caller: 4, ms: 5 },
  { functionName: "verifyOneShot", url: "node:internal/crypto/sig", caller: 5, ms: 40 },
  { functionName: "nextWrite", url: own("node_modules/postgres/src/connection.js"), caller: 4, ms: 0 },
  { functionName: "writeBuffer", url: "", caller: 7, ms: 15 },
  // A function's name may be that of a member of every object.
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
  "time is counted for the nearest place that means something, without start and idle time",
  async (t) => {
    const spending = spendingIn(profile())
    t.equal(spending.process, "signer")
    t.strictSame(
      spending.shares
        .map(({ on, share }) => [on, Math.round(share * 100)])
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
      writeSpending(spending),
      /^\| signer spends on \| of its CPU \|\n\|---\|---\|\n\| verification of stamps \| 40\.0 % \|$/m,
    )
  },
)
