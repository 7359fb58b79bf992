import { execFile, spawnSync } from "node:child_process"
import { getPriority } from "node:os"
import { join } from "node:path"
import { promisify } from "node:util"
import t, { type Test } from "tap"

const run = promisify(execFile)
const FILE = join(import.meta.dirname, "../../../../signer/core/backup-files/give-way.ts")
/** Says the niceness of a program that gives way, begun with this one. */
const PROGRAM = `
  import { getPriority, setPriority } from "node:os"
  import { giveWay } from ${JSON.stringify(FILE)}
  setPriority(Number(process.argv[1]))
  giveWay()
  console.log(getPriority())`

t.test("a backup goes behind the deployment, and never before a program that already does", async (t) => {
  const own = Math.max(0, getPriority())
  for (const [begun, wanted] of [
    [own, Math.max(10, own)],
    [Math.max(15, own), Math.max(15, own)],
  ] as const) {
    const words = ["--input-type=module", "--eval", PROGRAM, String(begun)]
    const { stdout } = await run(process.execPath, words)
    t.equal(Number(stdout), wanted, `from ${begun}`)
  }
})

/** Says the niceness with which a program ended. */
const HOOK = `data:text/javascript,${encodeURIComponent(`
  import { getPriority } from "node:os"
  process.on("exit", () => console.error("niceness", getPriority()))`)}`

/** The niceness of a command, which ends because none of its files is there. */
function nicenessOf(t: Test, file: string, words: readonly string[]): number {
  const environment = { COUNTERSIGN_DATA_DIR: "/nowhere", DATABASE_URL: "postgres://nobody@127.0.0.1:1/none" }
  const { stderr } = spawnSync(process.execPath, ["--import", HOOK, file, ...words], {
    encoding: "utf8",
    env: { PATH: process.env["PATH"], ...environment },
  })
  const [, niceness] = /niceness (-?\d+)/.exec(stderr) ?? []
  t.ok(niceness, stderr)
  return Number(niceness)
}

t.test(
  "C-1845: each command that makes a backup gives way, and none that restores or rehearses one",
  async (t) => {
    const own = getPriority()
    const behind = Math.max(10, own)
    const SIGNER = "signer/operator/main.ts"
    const DATABASE = "services/api/backup.ts"
    const none = "/nowhere/file"
    const files = [none, "--key", none]
    for (const [file, words, wanted] of [
      [SIGNER, ["backup", "create", "--to", none, "--out", none], behind],
      [SIGNER, ["backup", "host", "--to", none, "--out", none], behind],
      [SIGNER, ["backup", "restore", ...files], own],
      [SIGNER, ["backup", "rehearse", ...files], own],
      [SIGNER, ["backup", "verify", ...files], own],
      [DATABASE, ["create", "--to", none, "--out", none], behind],
      [DATABASE, ["restore", ...files], own],
      [DATABASE, ["rehearse", ...files], own],
    ] as const)
      t.equal(nicenessOf(t, file, words), wanted, words.join(" "))
  },
)
