// A log that is not the one whose heads were signed is noticed: by its own checkpoint, by the ledger, or by one that is shown.
import { generateKeyPairSync } from "node:crypto"
import { cpSync, existsSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import t, { type Test } from "tap"
import { openCheckpoint, signCheckpoint } from "../../../../signer/core/log/checkpoint.ts"
import { logOrigin } from "../../../../signer/core/log/leaf.ts"
import { hashesOf, consistencyParts } from "../../../../signer/core/log/proofs.ts"
import { isConsistent } from "../../../../signer/core/log/verify-proofs.ts"
import { runAtOnce } from "../../../../signer/core/turns/steps.ts"
import { changeLeaf, DEPLOYMENT_ID, dropLeaves, logSigner, TestLog } from "../../../harness/signer-log.ts"

/** A log with two signed heads, and what the outside kept. */
async function signedTwice(t: Test) {
  const folder = t.testdir()
  const directory = join(folder, "log")
  const log = new TestLog(directory)
  log.decide(300)
  log.transaction()
  await log.sign()
  const early = log.checkpoint
  const copy = join(folder, "copy")
  cpSync(directory, copy, { recursive: true })
  const earlyLedger = { ...log.ledger }
  log.decide(20)
  log.transaction()
  await log.sign()
  return { folder, directory, log, early, late: log.checkpoint, copy, earlyLedger }
}

const sizeOf = (note: Buffer) =>
  openCheckpoint(note, logSigner(logOrigin(DEPLOYMENT_ID, 1, "")).key)?.checkpoint.size

t.test(
  "W75: a log that goes on is contradicted by none of its heads, and each continues the last",
  async (t) => {
    const { directory, log, early, late } = await signedTwice(t)
    await log.log.close()
    const reopened = new TestLog(directory, log.ledger)
    t.equal(reopened.code, undefined)
    for (const note of [early, late, log.checkpoint]) reopened.log.signed.show(note)
    t.equal(reopened.code, undefined)
    t.strictSame(
      [sizeOf(early), sizeOf(late), sizeOf(reopened.checkpoint)],
      [302, 323, 325],
      "with start, stop and start",
    )
    const { key } = logSigner(reopened.log.signed.origin)
    const [old, now] = [early, reopened.checkpoint].map((note) => openCheckpoint(note, key)!.checkpoint)
    const proof = hashesOf(consistencyParts(old!.size, now!.size), reopened.log.signed.read)
    t.ok(isConsistent(old!, now!, proof))
  },
)

t.test(
  "W75: an older copy of ledger and log is found out by a head that is shown, also after a restart",
  async (t) => {
    const { copy, late, earlyLedger } = await signedTwice(t)
    const older = new TestLog(copy, earlyLedger)
    t.equal(older.code, undefined, "the copy alone cannot tell")
    older.log.signed.show(late)
    t.equal(older.code, "LEDGER_OLDER")
    t.equal(older.found.length, 1)
    const again = new TestLog(copy, earlyLedger)
    t.equal(again.code, "LEDGER_OLDER", "it stays found out")
    t.equal(again.log.signed.size, older.log.signed.size, "nothing was appended")
  },
)

t.test("W75: a copy that went on by itself is a fork, whichever is shown to which", async (t) => {
  const { copy, log, late, earlyLedger } = await signedTwice(t)
  const clone = new TestLog(copy, earlyLedger)
  clone.decide(400)
  await clone.sign()
  log.decide(900)
  await log.sign()
  clone.log.signed.show(late)
  t.equal(clone.code, "LEDGER_FORKED")
  log.log.signed.show(clone.checkpoint)
  t.equal(log.code, "LEDGER_FORKED")
  const before = log.checkpoint
  log.decide(5)
  await log.sign()
  t.strictSame(log.checkpoint, before, "nothing is signed any more")
})

t.test("W76: a truncated tail and a changed leaf are noticed at start, n of n", async (t) => {
  const { folder, directory, log } = await signedTwice(t)
  await log.log.close()
  for (const count of [1, 2, 24, 60, 300, 324]) {
    const copy = join(folder, `cut-${count}`)
    cpSync(directory, copy, { recursive: true })
    dropLeaves(copy, count)
    t.equal(new TestLog(copy, log.ledger).code, "LEDGER_OLDER", `${count} leaves fewer`)
  }
  for (let index = 0; index < 324; index += 9) {
    const copy = join(folder, `changed-${index}`)
    cpSync(directory, copy, { recursive: true })
    const isSkilful = index % 2 === 0
    changeLeaf(copy, index, isSkilful)
    t.equal(new TestLog(copy, log.ledger).code, isSkilful ? "LEDGER_FORKED" : "LEDGER_OLDER", `leaf ${index}`)
  }
})

t.test(
  "W76: a leaf of an earlier segment that is changed on the disk is noticed by the reading after the start",
  async (t) => {
    const directory = join(t.testdir(), "log")
    const log = new TestLog(directory)
    log.decide(66_000)
    await log.log.close()
    const whole = new TestLog(directory, log.ledger)
    t.equal(runAtOnce(whole.log.signed.verify()), 257)
    t.equal(whole.code, undefined)
    await whole.log.close()
    changeLeaf(directory, 1000, true)
    const changed = new TestLog(directory, log.ledger)
    runAtOnce(changed.log.signed.verify())
    t.equal(changed.code, "LEDGER_FORKED")
    t.match(changed.log.contradiction?.detail, /a leaf of 768 to 1023/)
  },
)

t.test("W75: stored hashes of tiles that are wrong are computed again, and halt nothing", async (t) => {
  const directory = join(t.testdir(), "log")
  const log = new TestLog(directory)
  log.decide(66_000)
  await log.log.close()
  const file = join(directory, "chunks")
  const bytes = readFileSync(file)
  for (const damage of [
    Buffer.alloc(bytes.length),
    bytes.subarray(0, 1000),
    Buffer.alloc(0),
    Buffer.alloc(2 * bytes.length),
  ]) {
    writeFileSync(file, damage)
    const reopened = new TestLog(directory, log.ledger)
    t.equal(reopened.code, undefined)
    await reopened.log.close()
    t.not(Buffer.compare(readFileSync(file), damage), 0, "they are written anew")
  }
})

t.test(
  "W77: a ledger that is older than its signed log, or another one of the same length, is noticed at start",
  async (t) => {
    const { directory, log, earlyLedger } = await signedTwice(t)
    await log.log.close()
    t.equal(new TestLog(directory, earlyLedger).code, "LEDGER_OLDER")
    t.equal(new TestLog(directory, { ...log.ledger, digest: Buffer.alloc(32, 99) }).code, "LEDGER_FORKED")
    t.equal(new TestLog(directory, log.ledger).code, undefined)
    const ahead = { sequence: log.ledger.sequence + 5n, digest: Buffer.alloc(32, 5) }
    t.equal(
      new TestLog(directory, ahead).code,
      undefined,
      "transactions whose leaves a crash lost: a gap that the start leaf shows",
    )
  },
)

t.test("W78: a word that the log's key did not sign changes nothing", async (t) => {
  const { log, late, copy, directory } = await signedTwice(t)
  const text = late.toString()
  const foreign = signCheckpoint(
    { origin: log.log.signed.origin, size: 10_000, root: Buffer.alloc(32) },
    otherSigner(log),
  )
  const ofOtherOrigin = signCheckpoint(
    { origin: "other", size: 10_000, root: Buffer.alloc(32) },
    logSigner("other"),
  )
  const words = ["", "x", text.slice(0, -1), text.replace("\n323\n", "\n9323\n"), foreign, ofOtherOrigin]
  for (const word of words) {
    t.throws(
      () => log.log.signed.show(Buffer.from(word)),
      { code: "CHECKPOINT_INVALID" },
      JSON.stringify(word.slice(0, 40)),
    )
    t.equal(log.code, undefined)
  }
  t.notOk(existsSync(join(directory, "contradiction")))
  // The same for a file that someone puts there.
  writeFileSync(join(copy, "contradiction"), foreign)
  t.equal(new TestLog(copy, { ...log.ledger, sequence: 2n, digest: Buffer.alloc(32, 2) }).code, undefined)
  t.notOk(existsSync(join(copy, "contradiction")))
})

t.test(
  "W79: after an operator gave up a signed head the log has another origin, and old heads say nothing about it",
  async (t) => {
    const { copy, late, earlyLedger, folder } = await signedTwice(t)
    const older = new TestLog(copy, earlyLedger)
    older.log.signed.show(late)
    t.equal(older.code, "LEDGER_OLDER")
    await older.log.beginEra(1_900_000_000)
    t.equal(older.code, undefined)
    t.equal(older.log.signed.origin, `countersign/${DEPLOYMENT_ID}/1/1900000000`)
    t.ok(existsSync(join(folder, "copy-1900000000")), "the old files are kept")
    t.throws(() => older.log.signed.show(late), { code: "CHECKPOINT_INVALID" })
    older.decide(3)
    await older.log.close()
    const again = new TestLog(copy, earlyLedger)
    t.equal(again.log.signed.origin, older.log.signed.origin)
    t.equal(again.code, undefined)
  },
)

t.test("W75: a log whose files are gone is older than a head that was kept", async (t) => {
  const { directory, log, late } = await signedTwice(t)
  await log.log.close()
  rmSync(directory, { recursive: true })
  const anew = new TestLog(directory, log.ledger)
  anew.log.signed.show(late)
  t.equal(anew.code, "LEDGER_OLDER")
})

/** Another key under the name and id of the log's. */
function otherSigner(log: TestLog) {
  const { key } = logSigner(log.log.signed.origin)
  return { key, privateKey: generateKeyPairSync("ed25519").privateKey }
}

t.test("a head that is being signed when its log is given up stays with that log", async (t) => {
  const directory = join(t.testdir(), "log")
  const log = new TestLog(directory)
  log.decide(3)
  const [signing, era] = [log.sign(), log.log.beginEra(1_900_000_000)]
  await t.resolves(signing)
  await era
  const originIn = (folder: string) => readFileSync(join(folder, "checkpoint"), "utf8").split("\n")[0]
  t.equal(originIn(`${directory}-1900000000`), `countersign/${DEPLOYMENT_ID}/1`)
  t.equal(originIn(directory), `countersign/${DEPLOYMENT_ID}/1/1900000000`)
  await log.log.close()
  t.equal(new TestLog(directory).code, undefined)
})
