// countersign-witness as a process: asked by a log in Go, by many at once, killed, and without its files.
import { execFile } from "node:child_process"
import { createHash, generateKeyPairSync } from "node:crypto"
import { chmodSync, existsSync, rmSync, statSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { promisify } from "node:util"
import t, { type Test } from "tap"
import { MAX_ADD_CHECKPOINT_BYTES, writeAddCheckpoint } from "../../../signer/core/log/add-checkpoint.ts"
import { openCheckpoint, signCheckpoint } from "../../../signer/core/log/checkpoint.ts"
import { ED25519, noteSigner, readNoteKey, writeNoteKey } from "../../../signer/core/log/note-key.ts"
import { consistencyParts, hashesOf } from "../../../signer/core/log/proofs.ts"
import { judge } from "../../harness/judges.ts"
import { patienceMs } from "../../harness/patience.ts"
import { WitnessProcess } from "../../harness/witness.ts"
import { treeOf } from "../core/log/tree.ts"

const run = promisify(execFile)
const { program, skip } = judge("log")
t.setTimeout(patienceMs(120_000))

const ORIGIN = "example.com/log"
const log = noteSigner(ORIGIN, ED25519, generateKeyPairSync("ed25519").privateKey)
const leaves = Array.from({ length: 600 }, (_, index) => Buffer.from(String(index)))

async function witness(t: Test): Promise<WitnessProcess> {
  const made = await WitnessProcess.init("witness.example/1")
  t.teardown(() => made.close())
  return made
}

function request(oldSize: number, size: number, of = leaves): Buffer {
  const proof = hashesOf(consistencyParts(oldSize, size), treeOf(of).read)
  const note = Buffer.from(
    signCheckpoint({ origin: ORIGIN, size, root: treeOf(of.slice(0, size)).root }, log),
  )
  return writeAddCheckpoint({ oldSize, proof, note })
}

async function post(
  url: string,
  body: Uint8Array,
): Promise<{ status: number; text: string; type: string | null }> {
  const reply = await fetch(`${url}add-checkpoint`, { method: "POST", body: Buffer.from(body) })
  return { status: reply.status, text: await reply.text(), type: reply.headers.get("content-type") }
}

t.test("a log in Go is cosigned head after head, and its fork is not", { skip }, async (t) => {
  const one = await witness(t)
  const { stdout: key } = await run(program, ["key", "example.com/foreign-log"])
  await one.start(key.trim())
  const { stdout } = await run(program, ["ask", one.url, one.key])
  t.equal(stdout, "cosigned 27, fork 422, stale 409 999\n")
})

t.test(
  "W106: across kills and many requests at once no size is cosigned twice, and none that is smaller",
  async (t) => {
    const one = await witness(t)
    await one.start(writeNoteKey(log.key))
    let known = 0
    for (let round = 0; round < 4; round++) {
      // Each is a valid continuation of the head before; one of them comes first.
      const sizes = Array.from({ length: 12 }, (_, at) => known + 3 + at)
      const asked = sizes.map((size) => post(one.url, request(known, size)).catch(() => undefined))
      if (round % 2 === 1) {
        await asked[0]
        await one.kill()
      }
      const answers = await Promise.all(asked)
      const cosigned = sizes.filter((_, at) => answers[at]?.status === 200)
      t.ok(cosigned.length <= 1, `${cosigned.length} of one head's continuations`)
      if (round % 2 === 1) await one.start(writeNoteKey(log.key))
      const { text } = await post(one.url, request(0, 600))
      const now = Number(text)
      t.ok(now >= (cosigned[0] ?? known), `${now} after ${cosigned[0]}`)
      known = now
    }
    const digest = createHash("sha256").update(ORIGIN).digest("hex")
    const head = Buffer.from(await (await fetch(`${one.url}head/${digest}`)).arrayBuffer())
    t.equal(
      openCheckpoint(head, log.key)?.checkpoint.size,
      known,
      "the log's own note is there for a signer that was set back",
    )
  },
)

t.test("other requests are refused, and none ends it", async (t) => {
  const one = await witness(t)
  await one.start(writeNoteKey(log.key))
  t.match(await post(one.url, Buffer.alloc(MAX_ADD_CHECKPOINT_BYTES + 1, 97)), { status: 413 })
  t.match(await post(one.url, Buffer.alloc(0)), { status: 400 })
  t.match(await post(one.url, request(5, 9)), { status: 409, text: "0\n", type: "text/x.tlog.size" })
  t.equal((await fetch(`${one.url}add-checkpoint`)).status, 405)
  for (const path of ["head/", `head/${"0".repeat(64)}`, "head/../seed", "%00"])
    t.equal((await fetch(one.url + path)).status, 404, path)
  t.equal((await post(one.url, request(0, 9))).status, 200)
  t.equal(await one.kill("SIGTERM"), undefined)
  t.match(one.log(), /"witness stops"/)
})

t.test("C-1724: a witness whose store is gone does not start, and makes none beside its key", async (t) => {
  const one = await witness(t)
  const [seed, heads] = ["seed", "heads.sqlite"].map((name) => join(one.directory, "witness", name)) as [
    string,
    string,
  ]
  t.equal(statSync(seed).mode & 0o777, 0o600)
  writeFileSync(one.logsFile, `# logs\n\n${writeNoteKey(log.key)}\n`)
  const fails = (words: string[], said: RegExp) => t.throws(() => one.run(...words), said, words.join(" "))
  fails(["init"], /is there already: start the witness without init/)
  rmSync(heads)
  fails(["serve"], /heads\.sqlite is missing: without it this witness would cosign a log that was set back/)
  fails(["serve", "--init"], /seed is there already/)
  fails(["doctor"], /./)
  t.notOk(existsSync(heads))
  rmSync(seed)
  t.ok(readNoteKey(one.run("init").trim()), "another key, another witness")
  chmodSync(seed, 0o644)
  fails(["key"], /set its mode to 0600/)
  chmodSync(seed, 0o600)
  writeFileSync(one.logsFile, "no key\n")
  fails(["serve"], /a line of .* is no key of a log/)
  writeFileSync(one.logsFile, "")
  fails(["serve"], /has no key: this witness would cosign nothing/)
  rmSync(one.logsFile)
  fails(["serve"], /cannot be read \(ENOENT\): write the keys of logs into it/)
  fails(["nonsense"], /nonsense/)
  fails(["key", "--json"], /belongs to config and doctor/)
  t.match(one.run("config"), /COUNTERSIGN_WITNESS_NAME/)
  t.match(one.run("help"), /^Usage: countersign-witness/)
})
