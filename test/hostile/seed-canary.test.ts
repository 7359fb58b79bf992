// The root seed of a sealed signer stands nowhere where a copy of the machine would find it.
import { spawnSync } from "node:child_process"
import { globSync, mkdtempSync, readFileSync, rmSync, statSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import t, { type Test } from "tap"
import { sealedSigner } from "../signer/operator/sealed-signer.ts"

const hasGcore = spawnSync("gcore", ["-h"]).error === undefined

/** The texts in which a program could leave the seed. */
function formsOf(seed: Uint8Array): Buffer[] {
  const bytes = Buffer.from(seed)
  const hex = bytes.toString("hex")
  return [
    bytes,
    ...[hex, hex.toUpperCase(), bytes.toString("base64"), bytes.toString("base64url")].map((text) =>
      Buffer.from(text),
    ),
  ]
}

function isIn(content: Buffer, seed: Uint8Array): boolean {
  return formsOf(seed).some((form) => content.includes(form))
}

const filesBelow = (directory: string) =>
  globSync("**/*", { cwd: directory })
    .map((name) => join(directory, name))
    .filter((path) => statSync(path).isFile())

/** The memory of a process as its core would hold it. */
function coreOf(t: Test, pid: number): Buffer {
  const directory = mkdtempSync(join(tmpdir(), "cs-core-"))
  t.teardown(() => rmSync(directory, { recursive: true, force: true }))
  const { status, stderr } = spawnSync("gcore", ["-o", join(directory, "core"), String(pid)])
  if (status !== 0) throw new Error(stderr.toString())
  const core = readFileSync(join(directory, `core.${pid}`))
  rmSync(directory, { recursive: true, force: true })
  return core
}

t.test(
  "W65: the seed of a sealed signer is in no file, log or environment, locked and unlocked",
  async (t) => {
    const { directory, signer, run, sheets, seed } = await sealedSigner(t)
    const look = (when: string) => {
      const files = filesBelow(directory)
      t.ok(files.length > 3)
      t.strictSame(
        files.filter((file) => isIn(readFileSync(file), seed)),
        [],
        when,
      )
      t.notOk(isIn(Buffer.from(signer.output), seed), when)
      t.notOk(isIn(readFileSync(`/proc/${signer.pid}/environ`), seed), when)
    }
    look("locked")
    t.match(await run(["unlock"], `${sheets[0]}\n${sheets[2]}\n`), { status: 0 })
    look("unlocked")
    t.ok(isIn(Buffer.concat([Buffer.from("x"), seed]), seed), "a canary that is there is found")
  },
)

t.test(
  "W65: the seed is not in the core of a signer that was never unlocked",
  { skip: hasGcore ? false : "needs gcore: not run" },
  async (t) => {
    const { signer, run, sheets, seed } = await sealedSigner(t)
    t.match(await run(["unlock"], `${sheets[0]}\n\n`), { status: 3 })
    t.notOk(isIn(coreOf(t, signer.pid), seed), "locked, with one share")
    t.match(await run(["unlock"], `${sheets[1]}\n`), { status: 0 })
    const unlocked = isIn(coreOf(t, signer.pid), seed)
    t.comment(`unlocked: ${unlocked ? "a copy of the seed is in the core" : "no copy of the seed"}`)
  },
)
