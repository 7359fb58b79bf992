import { spawnSync } from "node:child_process"
import t from "tap"

const MODULE = new URL("../../../signer/process/refused-callers.ts", import.meta.url).href

/** The lines that a process logs for these calls. */
function linesOf(calls: string): string[] {
  const program = `import { logRefusedCaller } from ${JSON.stringify(MODULE)}; ${calls}`
  const { stderr } = spawnSync(process.execPath, ["--input-type=module", "-e", program], { encoding: "utf8" })
  return stderr.trim().split("\n")
}

t.test("a caller that is refused again and again fills no log", async (t) => {
  const lines = linesOf(`
    for (let port = 1; port <= 1000; port++)
      logRefusedCaller({ name: "api", address: "10.0.0.7:" + port, reason: "its certificate has expired" })
    logRefusedCaller({ name: "api", address: "10.0.0.8:1", reason: "its certificate has expired" })
    logRefusedCaller({ name: "worker", address: "10.0.0.7:1", reason: "its certificate has expired" })
    logRefusedCaller({ name: undefined, address: undefined, reason: "it showed no certificate" })`)
  t.match(lines, [/"api","address":"10.0.0.7:1"/, /"10.0.0.8:1"/, /"worker"/, /"it showed no certificate"/])
  t.equal(lines.length, 4)
})

t.test("a name from a certificate is shortened, and cannot begin a line of its own", async (t) => {
  const name = `x\\n\\u202e${"y".repeat(500)}`
  const [line = "", ...others] = linesOf(`
    logRefusedCaller({ name: "${name}", address: "10.0.0.7:1", reason: "its certificate has expired" })`)
  t.same(others, [])
  t.match(line, /"name":"x\\n\\u202ey{97}"/)
})
