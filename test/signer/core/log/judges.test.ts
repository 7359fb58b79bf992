// Programs in Go that know nothing of this project verify a log, its proofs and its signatures, and sign notes for it.
import { execFile } from "node:child_process"
import { generateKeyPairSync } from "node:crypto"
import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { promisify } from "node:util"
import t from "tap"
import { signCheckpoint, writeCheckpoint } from "../../../../signer/core/log/checkpoint.ts"
import { leafHash } from "../../../../signer/core/log/merkle.ts"
import { readNote, signNote, verifyNote, writeSignatureLine } from "../../../../signer/core/log/note.ts"
import {
  COSIGNATURE,
  ED25519,
  noteSigner,
  readNoteKey,
  writeNoteKey,
} from "../../../../signer/core/log/note-key.ts"
import { consistencyParts, hashesOf, inclusionParts } from "../../../../signer/core/log/proofs.ts"
import { tilePath } from "../../../../signer/core/log/tiles.ts"
import { judge } from "../../../harness/judges.ts"
import { writeLogFiles } from "../../../harness/log-files.ts"
import { isLong } from "../../../harness/long.ts"
import { treeOf } from "./tree.ts"

const run = promisify(execFile)
const { program, skip } = judge("log")
const fsck = judge("fsck")

const LEAVES = isLong ? 100_003 : 3_003
const ORIGIN = "countersign/00000000-0000-8000-8000-000000000000/0"

const newSigner = (name: string, type: typeof ED25519 | typeof COSIGNATURE) =>
  noteSigner(name, type, generateKeyPairSync("ed25519").privateKey)

const leaves = Array.from({ length: LEAVES }, (_, index) => Buffer.alloc(1 + (index % 70), index))
const base64 = (hash: Uint8Array) => Buffer.from(hash).toString("base64")

/** Writes a log with proofs of many of its leaves and earlier sizes. @param headOf the leaves that the checkpoint states */
function writeLog(directory: string, headOf = leaves): void {
  const { read, size } = treeOf(leaves)
  const { root } = treeOf(headOf)
  const log = newSigner(ORIGIN, ED25519)
  const witness = newSigner("example.com/witness", COSIGNATURE)
  const checkpoint = { origin: ORIGIN, size, root }
  const cosigned = writeSignatureLine(signNote(witness, writeCheckpoint(checkpoint), 1_700_000_000))
  const step = Math.floor(size / 500)
  const places = Array.from({ length: 500 }, (_, at) => at * step).concat(size - 1)
  const inclusion = places.map((index) => ({
    index,
    leaf: base64(leafHash(leaves[index]!)),
    proof: hashesOf(inclusionParts(index, size), read).map(base64),
  }))
  const consistency = places.slice(1).map((old) => ({
    size: old,
    root: base64(treeOf(leaves.slice(0, Math.min(old, 600))).root),
    proof: hashesOf(consistencyParts(Math.min(old, 600), size), read).map(base64),
  }))
  const checked = consistency.map((one) => ({ ...one, size: Math.min(one.size, 600) }))
  writeLogFiles(directory, leaves, read, {
    key: writeNoteKey(log.key),
    witness: writeNoteKey(witness.key),
    checkpoint: signCheckpoint(checkpoint, log) + cosigned,
    "proofs.json": JSON.stringify({ inclusion, consistency: checked }),
  })
}

t.test("sumdb and torchwood verify every leaf, tile, proof and signature", { skip }, async (t) => {
  const directory = t.testdir()
  writeLog(directory)
  const { stdout } = await run(program, ["check", directory])
  t.equal(stdout, `leaves ${LEAVES}, inclusion 501, consistency 500, cosignatures 1\n`)
  const entries = join(directory, tilePath({ level: "entries", index: 3, width: 256 }))
  const altered = readFileSync(entries)
  altered[100] = altered[100]! ^ 1
  writeFileSync(entries, altered)
  await t.rejects(run(program, ["check", directory]), { code: 1 }, "the judge notices an altered leaf")
})

t.test("Tessera's fsck finds the log whole", { skip: fsck.skip }, async (t) => {
  const directory = t.testdir()
  writeLog(directory)
  const given = [`--storage_url=file://${directory}/`, `--public_key=${join(directory, "key")}`]
  const check = () => run(fsck.program, [...given, `--origin=${ORIGIN}`, "--ui=false"])
  // It ends with status 0 in any case. It reads an altered tile again without end, so it gets a head of other leaves.
  t.notMatch((await check()).stderr, /failed/)
  writeLog(directory, leaves.with(5, Buffer.from("other")))
  t.match(
    (await check()).stderr,
    /fsck failed: .*checkpoint claims/,
    "the judge notices a head of other leaves",
  )
})

t.test("notes and cosignatures that Go signed verify here", { skip }, async (t) => {
  const text = writeCheckpoint({ origin: ORIGIN, size: 3, root: treeOf(leaves.slice(0, 3)).root })
  for (const command of ["sign", "cosign"]) {
    const { stdout } = await run(program, [command, "example.com/go", text])
    const { key, note } = JSON.parse(stdout) as { key: string; note: string }
    const read = readNoteKey(key)
    if (read === undefined) throw new Error(`a key of Go is not read: ${key}`)
    const verified = verifyNote(readNote(Buffer.from(note))!, [read])
    t.equal(verified?.length, 1, command)
    t.equal(verified?.[0]?.timeSeconds !== undefined, command === "cosign")
    t.equal(verifyNote(readNote(Buffer.from(note.replace("\n3\n", "\n4\n")))!, [read]), undefined)
  }
})
