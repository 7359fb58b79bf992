// The signer's log over HTTP, as C2SP tlog-tiles has it: read by programs in Go that know nothing of this project.
import { execFile } from "node:child_process"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { promisify } from "node:util"
import t, { type Test } from "tap"
import { logPages } from "../../../../services/api/http/log-pages.ts"
import { openCheckpoint } from "../../../../signer/core/log/checkpoint.ts"
import { leafHash } from "../../../../signer/core/log/merkle.ts"
import { readNoteKey } from "../../../../signer/core/log/note-key.ts"
import { readEntries, tilePath } from "../../../../signer/core/log/tiles.ts"
import { judge } from "../../../harness/judges.ts"
import { isLong } from "../../../harness/long.ts"
import { patienceMs } from "../../../harness/patience.ts"
import { SignerOfLog } from "../../../harness/served-log.ts"
import { changeLeaf, DEPLOYMENT_ID, TestLog } from "../../../harness/signer-log.ts"
import { startApi } from "../start-api.ts"

const run = promisify(execFile)
const { program, skip } = judge("log")
const fsck = judge("fsck")
const LEAVES = isLong ? 100_003 : 2_803
const PATH = "/public/v1/log/1"

/** A log with so many leaves, its signer, and the API before it. */
async function fixture(t: Test, leaves = 700, parts: Parameters<typeof startApi>[1] = {}) {
  const log = new TestLog(join(t.testdir(), "log"))
  // The start is a leaf.
  log.decide(leaves - 1)
  await log.sign()
  const signer = new SignerOfLog(log)
  const api = await startApi(t, { ...parts, signer })
  const bytes = async (path: string) => {
    const reply = await fetch(`${api.url}${PATH}/${path}`)
    return { status: reply.status, headers: reply.headers, body: Buffer.from(await reply.arrayBuffer()) }
  }
  return { log, ...api, signer, bytes }
}

t.test("C-1720: the log is described to everybody, with its key and where it is served", async (t) => {
  const { send, bytes } = await fixture(t)
  const { status, json, headers } = await send("/public/v1/log")
  t.match(
    { status, json },
    { status: 200, json: { origin: `countersign/${DEPLOYMENT_ID}/1`, path: PATH, size: 700 } },
  )
  t.equal(headers.get("cache-control"), "public, max-age=1")
  const key = readNoteKey(json["key"] as string)!
  const { body, headers: ofCheckpoint } = await bytes("checkpoint")
  t.equal(openCheckpoint(body, key)?.checkpoint.size, 700)
  t.equal(ofCheckpoint.get("content-type"), "text/plain; charset=utf-8")
  t.equal(ofCheckpoint.get("cache-control"), "public, max-age=1")
  t.ok(Buffer.from(json["keyStatement"] as string, "base64").length > 32)
  t.equal(Buffer.from(json["keySignature"] as string, "base64").length, 64)
})

t.test("tiles and entries never change, and are those of the checkpoint", async (t) => {
  const { bytes, log, signer } = await fixture(t)
  const full = await bytes(tilePath({ level: 0, index: 1, width: 256 }))
  t.equal(full.headers.get("cache-control"), "public, max-age=31536000, immutable")
  t.equal(full.headers.get("content-type"), "application/octet-stream")
  const entries = await bytes(tilePath({ level: "entries", index: 1, width: 256 }))
  const leaves = readEntries(entries.body, 256)!
  t.strictSame(Buffer.concat(leaves.map(leafHash)), full.body)
  const partial = await bytes(tilePath({ level: "entries", index: 2, width: 188 }))
  t.equal(readEntries(partial.body, 188)?.length, 188)
  const upper = await bytes(tilePath({ level: 1, index: 0, width: 2 }))
  t.equal(upper.body.length, 64)
  const before = signer.calls
  t.strictSame((await bytes(tilePath({ level: 0, index: 1, width: 256 }))).body, full.body)
  t.equal(signer.calls, before, "a full tile is read once")
  log.decide(400)
  await log.sign()
  const grown = await bytes(tilePath({ level: 0, index: 2, width: 256 }))
  t.equal(grown.status, 200, "a reader with a newer checkpoint than this process's gets its tiles")
})

t.test("nothing else is there, and the sentence says what is", async (t) => {
  const { send } = await fixture(t)
  const said = async (path: string) => {
    const { status, json, headers } = await send(path)
    t.equal(headers.get("cache-control"), "no-store", path)
    return `${status} ${String(json["message"])}`
  }
  for (const resource of [
    "tile/0/003",
    "tile/0/002",
    "tile/0/002.p/189",
    "tile/0/2",
    "tile/00/000",
    "tile/0/000.p/0",
    "tile/0/000.p/256",
    "tile/8/000.p/1",
    "tile/63/000.p/1",
    "tile/entries/x999/x999/x999/x999/x999/999",
    "tile/entries/003",
    "tile/",
    "Checkpoint",
    "checkpoint/",
  ])
    t.match(await said(`${PATH}/${resource}`), /^404 /, resource)
  t.match(await said(`${PATH}/tile/0/003`), /covers 700 leaves; ask for checkpoint, tile\//)
  t.match(await said("/public/v1/log/2/checkpoint"), /^404 .* below \/public\/v1\/log\/1:/)
  t.match(
    await said("/public/v1/log/1/1800000000/checkpoint"),
    /^404 /,
    "an era that was given up, or never began",
  )
  t.equal((await send(`${PATH}/checkpoint`, { method: "POST" })).status, 405)
})

t.test("another era has other paths, and none of the tiles before it", async (t) => {
  const { bytes, send, log } = await fixture(t)
  await bytes(tilePath({ level: 0, index: 0, width: 256 }))
  await log.log.beginEra(1_900_000_000)
  await log.sign()
  // The head is read at most once a second; a tile that is not covered has it read again.
  t.equal((await bytes(tilePath({ level: 0, index: 9, width: 256 }))).status, 404)
  t.match(await send("/public/v1/log"), { json: { path: `${PATH}/1900000000`, size: 1 } })
  t.equal((await bytes(tilePath({ level: 0, index: 0, width: 256 }))).status, 404)
  t.equal((await bytes("1900000000/checkpoint")).status, 200)
})

t.test("a setting turns it off", async (t) => {
  const { send } = await fixture(t, 1, { isLogPublic: false })
  for (const path of ["/public/v1/log", `${PATH}/checkpoint`])
    t.match(await send(path), { status: 404, json: { message: /there is no operation at this path/ } })
})

t.test("a log without a checkpoint is not there yet", async (t) => {
  const { send } = await startApi(t)
  t.match(await send("/public/v1/log"), { status: 404, json: { message: /no checkpoint yet; ask again/ } })
})

t.test("one address is refused in its turn, and no other one with it", (t) => {
  let address = "a"
  const log = { head: () => new Promise<never>(() => {}), tile: () => new Promise<never>(() => {}) }
  const { description, resource } = logPages({ log, addressOf: () => address })
  const ask = () => void (address === "a" ? description : resource)({ req: {}, path: PATH } as never)
  for (let sent = 0; sent < 2000; sent++) ask()
  t.throws(() => {
    for (let sent = 0; sent < 2000; sent++) ask()
  }, /Too many requests/)
  address = "b"
  t.doesNotThrow(ask)
  t.end()
})

t.test(
  "torchwood verifies every leaf over HTTP",
  { skip, timeout: patienceMs(isLong ? 600_000 : 60_000) },
  async (t) => {
    const { url, send, log } = await fixture(t, LEAVES)
    const { json } = await send("/public/v1/log")
    const read = () => run(program, ["read", `${url}${PATH}`, json["key"] as string])
    t.equal((await read()).stdout, `leaves ${LEAVES}\n`)
    changeLeaf(log.directory, LEAVES - 2, true)
    await t.rejects(read(), { code: 1 }, "the judge notices an altered leaf")
  },
)

t.test(
  "Tessera's fsck finds the log whole over HTTP",
  { skip: fsck.skip, timeout: patienceMs(isLong ? 600_000 : 60_000) },
  async (t) => {
    const folder = t.testdir()
    const { url, send } = await fixture(t, LEAVES)
    const { json } = await send("/public/v1/log")
    const key = join(folder, "key")
    writeFileSync(key, json["key"] as string)
    const given = [
      `--storage_url=${url}${PATH}/`,
      `--public_key=${key}`,
      `--origin=${String(json["origin"])}`,
    ]
    const { stderr } = await run(fsck.program, [...given, "--ui=false"])
    t.notMatch(stderr, /failed/)
    t.match(stderr, /successful|OK|verified/i)
  },
)
