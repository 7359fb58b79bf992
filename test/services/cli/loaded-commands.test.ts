// Commands are loaded when they are named: a person waits for each module that a command line loads in vain.
import { join } from "node:path"
import t from "tap"
import { loadedBy } from "../../harness/loaded-modules.ts"

const load = (...words: string[]) => loadedBy("services/cli/main.ts", words)

const SLOW = /^(?:node_modules\/(?:zod|@bufbuild)|proto\/gen|services\/cli\/(?:commands|resources))\//

t.test("help loads no command, and neither the contract nor its packages", async (t) => {
  const { paths, status, text } = load("--help")
  t.equal(status, 0)
  t.match(text, /^ {2}wallet +\S/m, "it lists them all the same")
  t.ok(paths.includes(join("services", "cli", "program.ts")), "modules are watched")
  t.strictSame(
    paths.filter((path) => SLOW.test(path)),
    [],
  )
})

t.test("a command loads its own section alone", async (t) => {
  const { paths, status } = load("wallet", "--help")
  t.equal(status, 0)
  t.ok(paths.includes("services/cli/declarations/resources.ts"))
  t.notOk(paths.includes("services/cli/declarations/webhooks.ts"))
  t.notOk(
    paths.some((path) => /^(?:node_modules\/(?:zod|@bufbuild)|proto\/gen)\//.test(path)),
    "options are made without the contract",
  )
})

t.test("a change loads no reader of values, which only files and warnings need", async (t) => {
  const { paths } = load("sign", "message", "x", "--with", "First")
  t.ok(paths.includes("services/terminal-client/changes/change.ts"), "the command is loaded")
  t.strictSame(
    paths.filter((path) => path.startsWith("node_modules/zod/")),
    [],
  )
})

t.test("listings of settings load neither the interface nor curves", async (t) => {
  for (const [program, own] of [
    ["signer/operator/main.ts", "signer/enclave/config.ts"],
    ["services/node/main.ts", "services/worker/config.ts"],
  ] as const) {
    const { paths, status } = loadedBy(program, ["config"])
    t.equal(status, 0)
    t.ok(paths.includes(own), own)
    t.strictSame(
      paths.filter((path) => /^(?:node_modules\/(?:@noble\/curves|@grpc|zod)|proto\/gen)\//.test(path)),
      [],
      program,
    )
  }
})
