// The decisions of a witness, with a log that lies in every way, and the requests that are none.
import { generateKeyPairSync } from "node:crypto"
import t from "tap"
import {
  MAX_ADD_CHECKPOINT_BYTES,
  readAddCheckpoint,
  writeAddCheckpoint,
} from "../../../../signer/core/log/add-checkpoint.ts"
import { signCheckpoint } from "../../../../signer/core/log/checkpoint.ts"
import { EMPTY_ROOT } from "../../../../signer/core/log/merkle.ts"
import { readNote, readSignatureLines, verifyNote } from "../../../../signer/core/log/note.ts"
import { COSIGNATURE, ED25519, noteSigner } from "../../../../signer/core/log/note-key.ts"
import { consistencyParts, hashesOf } from "../../../../signer/core/log/proofs.ts"
import { addCheckpoint, type CosignedHead, type CosignedHeads } from "../../../../signer/core/log/witness.ts"
import { treeOf } from "./tree.ts"

const newSigner = (name: string, type: typeof ED25519 | typeof COSIGNATURE) =>
  noteSigner(name, type, generateKeyPairSync("ed25519").privateKey)

const ORIGIN = "example.com/log"
const log = newSigner(ORIGIN, ED25519)
const signer = newSigner("witness.example/1", COSIGNATURE)
const leaves = Array.from({ length: 300 }, (_, index) => Buffer.from(String(index)))
const others = leaves.with(4, Buffer.from("forked"))

class Heads implements CosignedHeads {
  readonly heads = new Map<string, CosignedHead>()
  read = (origin: string) => this.heads.get(origin)
  advance(origin: string, oldSize: number, head: CosignedHead): boolean {
    if ((this.heads.get(origin)?.size ?? 0) !== oldSize) return false
    this.heads.set(origin, head)
    return true
  }
}

/** A request that an honest log makes. */
function request(oldSize: number, size: number, of: readonly Uint8Array[] = leaves, by = log) {
  const { root } = treeOf(of.slice(0, size))
  const proof = oldSize > size ? [] : hashesOf(consistencyParts(oldSize, size), treeOf(of).read)
  const note = Buffer.from(signCheckpoint({ origin: by.key.name, size, root }, by))
  return { oldSize, proof, note }
}

function witness() {
  const heads = new Heads()
  const parts = { logs: [log.key], signer, heads, nowMs: () => 1_700_000_000_999 }
  const ask = (one: ReturnType<typeof request>) => addCheckpoint(writeAddCheckpoint(one), parts)
  return { heads, parts, ask }
}

t.test("a log that grows is cosigned, with the time, head after head", (t) => {
  const { ask, heads } = witness()
  let old = 0
  for (const size of [1, 7, 7, 8, 256, 257, 300]) {
    const one = request(old, size)
    const { status, text } = ask(one)
    t.equal(status, 200, `${old} to ${size}`)
    const [line, ...more] = readSignatureLines(Buffer.from(text)) ?? []
    t.strictSame(more, [])
    const note = { ...readNote(one.note)!, signatures: [line!] }
    t.match(verifyNote(note, [signer.key]), [{ timeSeconds: 1_700_000_000 }])
    t.equal(heads.read(ORIGIN)?.size, size)
    old = size
  }
  t.end()
})

t.test("W106: no head is cosigned that does not continue the last one", (t) => {
  const { ask, heads } = witness()
  t.equal(ask(request(0, 100)).status, 200)
  const held = heads.read(ORIGIN)
  for (const [name, one, status, text] of [
    ["an older head", request(100, 99), 400, /larger/],
    ["an older head with its own size", request(99, 99), 409, /^100\n$/],
    ["a fork of the same size", request(100, 100, others), 409, /^100\n$/],
    ["a fork that grew", request(100, 200, others), 422, /does not show/],
    ["a start from nothing", request(0, 200), 409, /^100\n$/],
    ["a size that it has not", request(150, 200), 409, /^100\n$/],
    ["no proof", { ...request(100, 200), proof: [] }, 422, /./],
    ["a hash too many", { ...request(100, 200), proof: [...request(100, 200).proof, EMPTY_ROOT] }, 422, /./],
    ["a hash too few", { ...request(100, 200), proof: request(100, 200).proof.slice(1) }, 422, /./],
    ["a proof at an equal size", { ...request(100, 100), proof: [EMPTY_ROOT] }, 422, /./],
    ["another log", request(0, 5, leaves, newSigner("example.com/other", ED25519)), 404, /does not know/],
    ["another key of this log", request(100, 200, leaves, newSigner(ORIGIN, ED25519)), 403, /no key/],
  ] as const) {
    const reply = ask(one as ReturnType<typeof request>)
    t.equal(reply.status, status, name)
    t.match(reply.text, text, name)
    t.notMatch(reply.text, /^— /, name)
    t.equal(reply.type, status === 409 ? "text/x.tlog.size" : "text/plain; charset=utf-8", name)
    t.equal(heads.read(ORIGIN), held, `${name} changes nothing`)
  }
  t.equal(ask(request(100, 200)).status, 200, "the honest log goes on")
  t.end()
})

t.test("W106: a head that another request stored meanwhile is not set back", (t) => {
  const { parts, heads } = witness()
  const racing = { ...parts, heads: { read: heads.read, advance: () => false } }
  const { status, text } = addCheckpoint(writeAddCheckpoint(request(0, 50)), racing)
  t.match({ status, text }, { status: 409, text: "0\n" })
  t.end()
})

t.test("an empty tree has one root", (t) => {
  const { ask } = witness()
  t.equal(ask(request(0, 0)).status, 200)
  const root = Buffer.alloc(32, 7)
  const note = Buffer.from(signCheckpoint({ origin: ORIGIN, size: 0, root }, log))
  t.equal(witness().ask({ oldSize: 0, proof: [], note }).status, 422)
  t.end()
})

t.test("what is no request is refused, and read in bounds", (t) => {
  const { parts } = witness()
  const good = writeAddCheckpoint(request(0, 5))
  t.equal(addCheckpoint(good, parts).status, 200)
  const note = request(0, 5).note.toString()
  const hash = Buffer.from(EMPTY_ROOT).toString("base64")
  for (const text of [
    "",
    "\n\n",
    note,
    `old\n\n${note}`,
    `old 05\n\n${note}`,
    `old -1\n\n${note}`,
    `old 1e3\n\n${note}`,
    `old 99999999999999999\n\n${note}`,
    `Old 5\n\n${note}`,
    `old 5\n${hash.slice(4)}\n\n${note}`,
    `old 5\n${hash} \n\n${note}`,
    `old 5\n${`${hash}\n`.repeat(64)}\n${note}`,
    `old 5\r\n\r\n${note}`,
    `old 0\n\n${note.replace("— ", "- ")}`,
    `old 0\n\n${note}${"x".repeat(MAX_ADD_CHECKPOINT_BYTES)}`,
    `old 0\n\nno note`,
  ])
    t.equal(addCheckpoint(Buffer.from(text), parts).status, 400, JSON.stringify(text.slice(0, 40)))
  for (let at = 0; at < good.length; at++) {
    const altered = Buffer.from(good)
    altered[at]! ^= 1
    t.not(addCheckpoint(altered, witness().parts).status, 200, `byte ${at}`)
  }
  t.strictSame(readAddCheckpoint(good)?.oldSize, 0)
  t.end()
})
