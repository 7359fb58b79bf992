// The fetcher as a witness: judged by a log in Go, killed, without its store, and with one that fails.
import { execFile } from "node:child_process"
import { cpSync, existsSync, mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs"
import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { buffer } from "node:stream/consumers"
import { promisify } from "node:util"
import t, { type Test } from "tap"
import { connectFetcher } from "../../../services/api/signer/fetcher.ts"
import type { LogWitness } from "../../../services/api/signer/witness.ts"
import { writeAddCheckpoint } from "../../../signer/core/log/add-checkpoint.ts"
import { openCheckpoint, signCheckpoint } from "../../../signer/core/log/checkpoint.ts"
import { readSignatureLines } from "../../../signer/core/log/note.ts"
import { readNoteKey, verifyText, writeNoteKey } from "../../../signer/core/log/note-key.ts"
import { consistencyParts, hashesOf } from "../../../signer/core/log/proofs.ts"
import { witnessOf } from "../../../signer/fetcher/witness/witness.ts"
import { judge } from "../../harness/judges.ts"
import { patienceMs } from "../../harness/patience.ts"
import { Program } from "../../harness/program.ts"
import { newLogKey, newWitnessKey } from "../../harness/witness-keys.ts"
import { treeOf } from "../core/log/tree.ts"

t.setTimeout(patienceMs(120_000))

const MAIN = "signer/fetcher/main.ts"
const { program, skip } = judge("log")
const ORIGIN = "example.com/log"
const log = newLogKey(ORIGIN)
const leaves = Array.from({ length: 40 }, (_, index) => Buffer.from(String(index)))

function noteOf(size: number, of = leaves): Buffer {
  return Buffer.from(signCheckpoint({ origin: ORIGIN, size, root: treeOf(of.slice(0, size)).root }, log))
}

function request(oldSize: number, size: number, of = leaves): Buffer {
  const proof = hashesOf(consistencyParts(oldSize, size), treeOf(of).read)
  return writeAddCheckpoint({ oldSize, proof, note: noteOf(size, of) })
}

/** A fetcher on a host of its own. */
function host(t: Test, name = "fetcher.example/1") {
  const directory = mkdtempSync(join(tmpdir(), "cs-fetcher-witness-"))
  t.teardown(() => rmSync(directory, { recursive: true, force: true }))
  const folder = join(directory, "fetcher")
  const environment = { COUNTERSIGN_DATA_DIR: directory, COUNTERSIGN_FETCHER_WITNESS_NAME: name }
  const run = async (...words: string[]) => {
    const env = { PATH: process.env["PATH"], ...environment }
    const { stdout } = await promisify(execFile)(process.execPath, [MAIN, ...words], { env })
    return stdout.trim()
  }
  const knowLogs = (...keys: string[]) =>
    writeFileSync(join(folder, "witness-logs"), keys.map((key) => `${key}\n`).join(""))
  /** The fetcher as the API's courier reaches it. */
  const start = async (t: Test): Promise<{ witness: LogWitness; kill: () => Promise<void> }> => {
    const fetcher = new Program({ file: MAIN, words: ["serve"], environment })
    await fetcher.until(/fetcher is up/)
    const socket = `unix:${join(folder, "fetcher.sock")}`
    const { witness, close } = connectFetcher({ address: socket, tls: undefined })
    const end = async () => {
      close()
      await fetcher.stop()
    }
    t.teardown(end)
    return { witness, kill: end }
  }
  return { folder, run, knowLogs, start, heads: join(folder, "witness-heads.sqlite") }
}

/** A host whose fetcher has a seed and a store. */
async function witness(t: Test) {
  const one = host(t)
  await one.run("init")
  const key = await one.run("witness-key", "--init")
  one.knowLogs(writeNoteKey(log.key))
  return { ...one, key }
}

const status = async (witness: LogWitness, body: Uint8Array) => (await witness.addCheckpoint(body)).status

t.test("W151: a log in Go is cosigned by the fetcher, and its fork is not", { skip }, async (t) => {
  const one = await witness(t)
  const { stdout } = await promisify(execFile)(program, ["key", "example.com/foreign-log"])
  one.knowLogs(stdout.trim())
  const { witness: fetcher } = await one.start(t)
  // The judge speaks HTTP, as witnesses of C2SP do.
  const answer = async (asked: IncomingMessage, reply: ServerResponse) => {
    const { status, text } = await fetcher.addCheckpoint(await buffer(asked))
    reply.writeHead(status, { "Content-Type": status === 409 ? "text/x.tlog.size" : "text/plain" }).end(text)
  }
  const bridge = createServer((...exchange) => void answer(...exchange)).listen(0, "127.0.0.1")
  await new Promise((resolve) => bridge.once("listening", resolve))
  t.teardown(() => void bridge.close())
  const url = `http://127.0.0.1:${(bridge.address() as AddressInfo).port}/`
  const judged = await promisify(execFile)(program, ["ask", url, one.key])
  t.equal(judged.stdout, "cosigned 27, fork 422, stale 409 999\n")
})

t.test("W151: a fetcher that was killed has its key and the head that it cosigned", async (t) => {
  const one = await witness(t)
  const first = await one.start(t)
  t.equal(await status(first.witness, request(0, 9)), 200)
  t.equal(await status(first.witness, request(9, 20)), 200)
  await first.kill()
  t.equal(statSync(one.heads).mode & 0o777, 0o600)
  const { witness: next } = await one.start(t)
  t.match(await next.addCheckpoint(request(0, 9)), { status: 409, text: "20\n" })
  const other = [...leaves.slice(0, 15), ...leaves.slice(0, 15)]
  t.match(await next.addCheckpoint(request(20, 30, other)), { status: 422 }, "a fork")
  const { status: done, text } = await next.addCheckpoint(request(20, 40))
  t.equal(done, 200)
  const [line] = readSignatureLines(Buffer.from(text)) ?? []
  const key = readNoteKey(one.key)!
  t.ok(verifyText(key, noteOf(40).toString().split("\n\n")[0] + "\n", line!.signature), "by its own key")
  const head = await next.latestHead(ORIGIN)
  t.equal(openCheckpoint(head!, log.key)?.checkpoint.size, 40, "as the log signed it")
  t.equal(await next.latestHead("example.com/other"), undefined)
  t.equal(await one.run("witness-key"), one.key)
  t.equal(await status(next, Buffer.alloc(20 * 1024, 97)), 413)
  t.equal(await status(next, Buffer.from("nonsense")), 400)
})

t.test(
  "C-1790: a fetcher whose store of heads is gone does not start, and a new store has another key",
  async (t) => {
    const one = await witness(t)
    await t.rejects(one.run("witness-key", "--init"), {
      message: /is there already: run witness-key without --init/,
    })
    rmSync(one.heads)
    await t.rejects(one.run("serve"), { message: /witness-heads\.sqlite is missing: .*witness-key --init/ })
    const again = await one.run("witness-key", "--init")
    t.ok(readNoteKey(again))
    t.not(again, one.key, "no key cosigns what an empty store does not know")
    // A host to which the seed alone was restored.
    const restored = host(t)
    await restored.run("init")
    cpSync(join(one.folder, "seed"), join(restored.folder, "seed"))
    t.notOk([one.key, again].includes(await restored.run("witness-key", "--init")))
    rmSync(join(one.folder, "witness-logs"))
    await t.rejects(one.run("serve"), { message: /WITNESS_LOGS_FILE: .* cannot be read \(ENOENT\)/ })
    const checked = (await one.run("doctor").catch(({ stdout }: { stdout: string }) => stdout)) ?? ""
    t.match(checked, /WITNESS_LOGS_FILE/)
  },
)

t.test("a fetcher without the setting is no witness", async (t) => {
  const one = host(t, "")
  await one.run("init")
  await t.rejects(one.run("witness-key"), { message: /is no witness: set COUNTERSIGN_FETCHER_WITNESS_NAME/ })
  const { witness: none } = await one.start(t)
  t.match(await none.addCheckpoint(request(0, 9)), { status: 404, text: /no witness/ })
  t.equal(await none.latestHead(ORIGIN), undefined)
  t.notOk(existsSync(one.heads))
})

t.test("W151: after a failed write nothing is cosigned until the next start", (t) => {
  let writes = 0
  const heads = {
    // What a database may show after a write that was not synced.
    read: () =>
      writes === 0 ? undefined : { size: 9, root: treeOf(leaves.slice(0, 9)).root, note: noteOf(9) },
    advance: (): boolean => {
      writes += 1
      throw new Error("disk I/O error")
    },
  }
  const parts = { logs: [log.key], signer: newWitnessKey("fetcher.example/1"), heads, nowMs: () => 0 }
  const fetcher = witnessOf(parts)
  t.match(fetcher.add(request(0, 9)), { status: 503, text: /restart the fetcher/ })
  t.match(fetcher.add(request(9, 9)), { status: 503 }, "not even the head that the store shows")
  t.equal(writes, 1)
  t.end()
})
