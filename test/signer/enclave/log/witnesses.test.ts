// What witnesses say about a signer's log: which cosignatures count, and what waits for them.
import { generateKeyPairSync } from "node:crypto"
import { join } from "node:path"
import t, { type Test } from "tap"
import { readNote, signNote, writeSignatureLine } from "../../../../signer/core/log/note.ts"
import { COSIGNATURE, type NoteSigner, noteSigner } from "../../../../signer/core/log/note-key.ts"
import { TestLog } from "../../../harness/signer-log.ts"

const newWitness = (name: string) => noteSigner(name, COSIGNATURE, generateKeyPairSync("ed25519").privateKey)

const [one, two, three] = ["a", "b", "c"].map((name) => newWitness(`witness.example/${name}`)) as [
  NoteSigner,
  NoteSigner,
  NoteSigner,
]

/** The reply of a witness to a note. */
const cosign = (note: Uint8Array, by: NoteSigner) =>
  Buffer.from(writeSignatureLine(signNote(by, readNote(note)!.text, 1_800_000_000)))

function witnessed(t: Test, threshold = 2) {
  let nowMs = 0
  const policy = { keys: [one.key, two.key, three.key], threshold, beforeAnswer: true }
  const folder = t.testdir()
  const parts = { witnesses: policy, monotonicMs: () => nowMs }
  const log = new TestLog(join(folder, "log"), undefined, parts)
  const show = (...replies: Uint8Array[]) => log.log.show(log.checkpoint, replies, [])
  const missing = () => log.log.witnesses.missing(log.log.signed.size)
  return { log, show, missing, parts, folder, pass: (ms: number) => (nowMs += ms) }
}

t.test("W104: a start is witnessed once enough witnesses cosigned a checkpoint that covers it", async (t) => {
  const { log, show, missing, folder, parts } = witnessed(t)
  t.equal(log.log.isWitnessed, false)
  t.strictSame(show(cosign(log.checkpoint, one)), ["witness.example/a"])
  t.equal(log.log.isWitnessed, false)
  t.strictSame(missing(), ["witness.example/b", "witness.example/c"])
  t.strictSame(show(cosign(log.checkpoint, one)), ["witness.example/a"], "one counts once")
  t.equal(log.log.isWitnessed, false)
  show(cosign(log.checkpoint, two))
  t.equal(log.log.isWitnessed, true)
  t.equal(log.log.witnesses.cosigned, undefined, "no single note has both")
  show(cosign(log.checkpoint, one), cosign(log.checkpoint, three))
  t.match(readNote(log.log.witnesses.cosigned!.note)?.signatures.length, 3)
  const old = log.checkpoint
  const replies = [cosign(old, one), cosign(old, two), cosign(old, three)]
  await log.log.close()
  const next = new TestLog(join(folder, "log"), log.ledger, parts)
  t.strictSame(next.log.show(old, replies, []), [
    "witness.example/a",
    "witness.example/b",
    "witness.example/c",
  ])
  t.equal(next.log.isWitnessed, false, "old cosignatures of an old head prove nothing")
})

t.test("W104: no other cosignature counts", (t) => {
  const { log, show } = witnessed(t, 1)
  const foreign = newWitness("witness.example/a")
  const line = cosign(log.checkpoint, one).toString()
  const other = new TestLog(join(t.testdir(), "other"))
  const altered = Buffer.from(line)
  altered[altered.length - 4]! ^= 1
  for (const [name, reply] of Object.entries({
    "another key of the same name": cosign(log.checkpoint, foreign),
    "another witness's under this name": Buffer.from(line.replace("/a", "/b")),
    "one of another log's head": cosign(other.checkpoint, one),
    "an altered one": altered,
    "no line": Buffer.from("witness.example/a"),
    nothing: Buffer.alloc(0),
    "the log's own signature": Buffer.from(log.checkpoint.toString().split("\n\n")[1]!),
    "one with more before it": Buffer.from(`text\n\n${line}`),
    "many lines": Buffer.from(line.replace("/a", "/x").repeat(101) + line),
  })) {
    t.strictSame(show(reply), [], name)
    t.equal(log.log.isWitnessed, false, name)
  }
  t.strictSame(
    show(Buffer.from("nonsense"), Buffer.from(line)),
    ["witness.example/a"],
    "a lie hides no other reply",
  )
  t.equal(log.log.isWitnessed, true)
  t.end()
})

t.test("W107: an answer waits until its leaf is witnessed, or its time is over", async (t) => {
  const { log, show } = witnessed(t)
  const both = () => show(cosign(log.checkpoint, one), cosign(log.checkpoint, two))
  both()
  const { witnesses } = log.log
  log.decide(1)
  const { size } = log.log.signed
  t.equal(await witnesses.whenWitnessed(size, AbortSignal.abort()), false)
  let isWitnessed: boolean | undefined
  const waiting = witnesses
    .whenWitnessed(size, new AbortController().signal)
    .then((found) => (isWitnessed = found))
  both()
  await Promise.resolve()
  t.equal(isWitnessed, undefined, "the head before does not cover it")
  await log.sign()
  show(cosign(log.checkpoint, three))
  t.equal(isWitnessed, undefined, "one is not enough")
  show(cosign(log.checkpoint, one))
  t.equal(await waiting, true)
})

t.test("W108: the time for which leaves wait is counted, and ends with their cosignatures", async (t) => {
  const { log, show, pass } = witnessed(t)
  const { witnesses } = log.log
  pass(5_000)
  t.equal(witnesses.unwitnessedSeconds, 5)
  show(cosign(log.checkpoint, one), cosign(log.checkpoint, two))
  t.equal(witnesses.unwitnessedSeconds, 0)
  pass(60_000)
  t.equal(witnesses.unwitnessedSeconds, 0, "a log that rests is witnessed")
  log.decide(1)
  pass(7_000)
  log.decide(1)
  t.equal(witnesses.unwitnessedSeconds, 7)
  await log.sign()
  pass(1_000)
  show(cosign(log.checkpoint, one))
  t.not(witnesses.size, log.log.signed.size)
  pass(2_000)
  t.equal(witnesses.unwitnessedSeconds, 10, "one witness alone is not enough")
  show(cosign(log.checkpoint, two))
  t.equal(witnesses.unwitnessedSeconds, 0)
})

t.test("W108: a log whose head was given up is witnessed anew", async (t) => {
  const { log, show } = witnessed(t)
  show(cosign(log.checkpoint, one), cosign(log.checkpoint, two))
  t.equal(log.log.isWitnessed, true)
  await log.log.beginEra(1_900_000_000)
  t.equal(log.log.isWitnessed, false)
})

t.test("what the courier reports is bounded, and is text", (t) => {
  const { log } = witnessed(t)
  log.log.show(
    log.checkpoint,
    [],
    ["a\nb\u001b[31m", "x".repeat(5000), "c", "beyond the number of witnesses"],
  )
  t.strictSame(log.log.witnesses.reports, ["a b [31m", "x".repeat(200), "c"])
  log.log.show(log.checkpoint, [], [])
  t.equal(log.log.witnesses.reports.length, 3, "a head that is shown says nothing of witnesses")
  t.end()
})

t.test("C-1721: witnesses that cosigned different heads count for the leaves that both cover", async (t) => {
  const { log, show } = witnessed(t)
  show(cosign(log.checkpoint, one))
  log.decide(5)
  await log.sign()
  show(cosign(log.checkpoint, two))
  t.equal(log.log.witnesses.size, 1, "the start")
  log.decide(1)
  await log.sign()
  show(cosign(log.checkpoint, three))
  t.equal(log.log.witnesses.size, 6)
  t.strictSame(log.log.witnesses.missing(7), ["witness.example/a", "witness.example/b"])
})
