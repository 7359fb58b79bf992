import { generateKeyPairSync } from "node:crypto"
import t from "tap"
import { leafHash } from "../../../../signer/core/log/merkle.ts"
import {
  openCheckpoint,
  readCheckpoint,
  signCheckpoint,
  writeCheckpoint,
} from "../../../../signer/core/log/checkpoint.ts"
import {
  readNote,
  readSignatureLines,
  signNote,
  verifyNote,
  writeNote,
  writeSignatureLine,
} from "../../../../signer/core/log/note.ts"
import {
  COSIGNATURE,
  ED25519,
  isKeyName,
  noteKey,
  noteSigner,
  readNoteKey,
  writeNoteKey,
} from "../../../../signer/core/log/note-key.ts"

// The note of the documentation of golang.org/x/mod/sumdb/note.
const KEY = "PeterNeumann+c74f20a3+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW"
const TEXT =
  "If you think cryptography is the answer to your problem,\nthen you don't know what your problem is.\n"
const LINE =
  "— PeterNeumann x08go/ZJkuBS9UG/SffcvIAQxVBtiFupLLr8pAcElZInNIuGUgYN1FFYC2pZSNXgKvqfqdngotpRZb6KE6RyyBwJnAM=\n"

// A log and its checkpoint from the tests of litewitness 0.8.0.
const SIGSUM_KEY = "ffdc2d4d98e4124d3feaf788c0c2f9abfd796083d1f0495437f302ec79cf100f"
const SIGSUM_ORIGIN = "sigsum.org/v1/tree/4d6d8825a6bb689d459628312889dfbb0bcd41b5211d9e1ce768b0ff0309e562"
const SIGSUM_CHECKPOINT = `${SIGSUM_ORIGIN}
1
KgAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=

— ${SIGSUM_ORIGIN} UgIom7fPZTqpxWWhyjWduBvTvGVqsokMbqTArsQilegKoFBJQjUFAmQ0+YeSPM3wfUQMFSzVnnNuWRTYrajXpNUbIQY=
`

const newSigner = (name: string, type: typeof ED25519 | typeof COSIGNATURE) =>
  noteSigner(name, type, generateKeyPairSync("ed25519").privateKey)

t.test("published notes verify", async (t) => {
  const key = readNoteKey(KEY)
  if (key === undefined) throw new Error("the key is read")
  t.equal(writeNoteKey(key), KEY)
  const note = readNote(Buffer.from(`${TEXT}\n${LINE}`))
  t.equal(note?.text, TEXT)
  t.strictSame(note && verifyNote(note, [key])?.map((one) => one.key.name), ["PeterNeumann"])
  t.equal(note && writeNote(note), `${TEXT}\n${LINE}`)
  const log = noteKey(SIGSUM_ORIGIN, ED25519, Buffer.from(SIGSUM_KEY, "hex"))
  const opened = openCheckpoint(Buffer.from(SIGSUM_CHECKPOINT), log)
  t.equal(opened?.checkpoint.size, 1)
  t.equal(opened?.checkpoint.root[0], 0x2a)
})

t.test("a note that was altered anywhere is rejected, or has no signature of the key", async (t) => {
  const log = newSigner("example.com/log", ED25519)
  const witness = newSigner("example.com/witness", COSIGNATURE)
  const text = writeCheckpoint({ origin: "example.com/log", size: 7, root: leafHash(Buffer.from("x")) })
  const signatures = [signNote(log, text), signNote(witness, text, 1_700_000_000)]
  const bytes = Buffer.from(writeNote({ text, signatures }))
  const keys = [log.key, witness.key]
  const whole = verifyNote(readNote(bytes)!, keys)
  t.strictSame(
    whole?.map(({ key, timeSeconds }) => [key.name, timeSeconds]),
    [
      ["example.com/log", undefined],
      ["example.com/witness", 1_700_000_000],
    ],
  )
  for (let at = 0; at < bytes.length; at++) {
    const altered = Buffer.from(bytes)
    altered[at] = altered[at]! ^ 1
    const note = readNote(altered)
    const verified = note === undefined ? undefined : verifyNote(note, keys)
    if (verified?.length === 2) t.fail(`byte ${at} is not covered`)
  }
})

t.test(
  "signatures of unknown keys are ignored, and one bad signature of a known key rejects the note",
  async (t) => {
    const log = newSigner("example.com/log", ED25519)
    const other = newSigner("example.com/log", ED25519)
    const text = "text\n"
    const [mine, theirs] = [signNote(log, text), signNote(other, text)]
    const note = (...signatures: (typeof mine)[]) => readNote(Buffer.from(writeNote({ text, signatures })))!
    t.equal(verifyNote(note(theirs, mine), [log.key])?.length, 1)
    t.equal(verifyNote(note(mine, mine), [log.key])?.length, 1, "a signature counts once")
    t.strictSame(verifyNote(note(theirs), [log.key]), [])
    const bad = { ...mine, signature: theirs.signature }
    t.equal(verifyNote(note(mine, bad), [log.key]), undefined)
    t.equal(verifyNote(note(bad), [log.key]), undefined)
    const noCosignature = { ...mine, id: newSigner("example.com/log", COSIGNATURE).key.id }
    t.strictSame(verifyNote(note(noCosignature), [log.key]), [])
  },
)

t.test("a cosignature covers its time, and a signature of the log is no cosignature", async (t) => {
  const pair = generateKeyPairSync("ed25519")
  const witness = noteSigner("w", COSIGNATURE, pair.privateKey)
  const log = noteSigner("w", ED25519, pair.privateKey)
  t.not(witness.key.id, log.key.id, "one key has two ids")
  const text = "origin\n1\n"
  const later = signNote(witness, text, 2)
  later.signature[7] = 3
  const note = readNote(Buffer.from(writeNote({ text, signatures: [later] })))!
  t.equal(verifyNote(note, [witness.key]), undefined)
  const plain = { ...signNote(log, text), id: witness.key.id }
  t.equal(
    verifyNote(readNote(Buffer.from(writeNote({ text, signatures: [plain] })))!, [witness.key]),
    undefined,
  )
})

t.test("what is no note is not read", async (t) => {
  const [bom, tab, nul] = ["\ufeff", "\t", "\0"]
  const refused = [
    "",
    TEXT,
    `${TEXT}\n`,
    `${TEXT}\n${LINE.slice(0, -1)}`,
    `${TEXT}${LINE}`,
    `${TEXT}\n${LINE}\n`,
    `${TEXT}\n${LINE}more\n`,
    `${TEXT}\n- PeterNeumann x08go/ZJkuBS\n`,
    `${TEXT}\n— Peter+Neumann x08go/ZJkuBS\n`,
    `${TEXT}\n— PeterNeumann x08go/ZJkuB\n`,
    `${TEXT}\n— PeterNeumann x08goA==\n`,
    `${TEXT}\n— PeterNeumann  x08go/ZJkuBS\n`,
    `${tab}${TEXT}\n${LINE}`,
    `${nul}${TEXT}\n${LINE}`,
    `${TEXT}\n${LINE.repeat(101)}`,
    `${"x".repeat(70_000)}\n\n${LINE}`,
  ]
  for (const note of refused)
    t.equal(readNote(Buffer.from(note)), undefined, JSON.stringify(note.slice(0, 90)))
  t.equal(readNote(Buffer.concat([Buffer.from([0xff]), Buffer.from(`${TEXT}\n${LINE}`)])), undefined)
  t.equal(readNote(Buffer.from(`${bom}a\n\n${LINE}`))?.text, `${bom}a\n`, "no byte is dropped")
  t.equal(readNote(Buffer.from(`a\n\nb\n\n${LINE}`))?.text, "a\n\nb\n", "the last empty line divides")
})

t.test("keys are read in their one spelling", async (t) => {
  const { key } = newSigner("example.com/é", ED25519)
  t.strictSame(readNoteKey(writeNoteKey(key))?.publicKey, key.publicKey)
  const refused = [
    KEY.replace("c74f20a3", "c74f20a4"),
    KEY.replace("c74f20a3", "C74F20A3"),
    KEY.replace("Peter", "Peter "),
    KEY.replace("ARpc", "Axpc"),
    KEY.slice(0, -4),
    `${KEY}\n`,
    "",
  ]
  for (const text of refused) t.equal(readNoteKey(text), undefined, text)
  for (const name of ["", "a b", "a+b", "a\nb", "a\u00a0b", "a\u0085b", "\ud800"])
    t.notOk(isKeyName(name), name)
  t.throws(() => noteKey("a b", ED25519, new Uint8Array(32)), RangeError)
  t.throws(() => noteKey("a", ED25519, new Uint8Array(31)), RangeError)
})

t.test("checkpoints are read in their one spelling", async (t) => {
  const root = leafHash(Buffer.from("x"))
  const base64 = Buffer.from(root).toString("base64")
  t.strictSame(readCheckpoint(writeCheckpoint({ origin: "o", size: 0, root })), {
    origin: "o",
    size: 0,
    root: Buffer.from(root),
  })
  t.equal(readCheckpoint(`o\n5\n${base64}\nextension\n`)?.size, 5)
  const refused = [
    `o\n5\n${base64}`,
    `\n5\n${base64}\n`,
    `o\n05\n${base64}\n`,
    `o\n+5\n${base64}\n`,
    `o\n-1\n${base64}\n`,
    `o\n9007199254740992\n${base64}\n`,
    `o\n5\n${base64.slice(0, -4)}\n`,
    `o\n5\n${base64.replace("=", "")}\n`,
    `o\n5\n${base64}\n\n`,
    "o\n5\n",
  ]
  for (const text of refused) t.equal(readCheckpoint(text), undefined, JSON.stringify(text))
  const log = newSigner("o", ED25519)
  const note = Buffer.from(signCheckpoint({ origin: "o", size: 5, root }, log))
  t.equal(openCheckpoint(note, log.key)?.checkpoint.size, 5)
  t.equal(openCheckpoint(note, newSigner("o", ED25519).key), undefined, "another key")
  const other = Buffer.from(signCheckpoint({ origin: "p", size: 5, root }, log))
  t.equal(openCheckpoint(other, log.key), undefined, "the origin of another log")
})

t.test("a witness's reply is signature lines and nothing else", async (t) => {
  const line = writeSignatureLine(signNote(newSigner("w", COSIGNATURE), "text\n", 5))
  t.equal(readSignatureLines(Buffer.from(line))?.length, 1)
  t.equal(readSignatureLines(Buffer.from(line + line))?.length, 2)
  for (const reply of ["", "\n", `text\n\n${line}`, `text\n${line}`, line.slice(0, -1)])
    t.equal(readSignatureLines(Buffer.from(reply)), undefined, JSON.stringify(reply))
})
