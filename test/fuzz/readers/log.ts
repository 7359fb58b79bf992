// The transparency log: tiles, bundles of entries, leaves, checkpoints, notes, keys, receipts. Only what is written is read.
import { createPrivateKey } from "node:crypto"
import { readAddCheckpoint, writeAddCheckpoint } from "../../../signer/core/log/add-checkpoint.ts"
import {
  openCheckpoint,
  readCheckpoint,
  signCheckpoint,
  writeCheckpoint,
} from "../../../signer/core/log/checkpoint.ts"
import { readDecision, readLeaf, writeDecision, writeLeaf } from "../../../signer/core/log/leaf.ts"
import {
  ED25519,
  noteSigner,
  readNoteKey,
  readNoteKeys,
  writeNoteKey,
} from "../../../signer/core/log/note-key.ts"
import { readNote, readSignatureLines, writeNote } from "../../../signer/core/log/note.ts"
import { readLogReceipt, writeLogReceipt } from "../../../signer/core/log/receipt.ts"
import { readEntries, readTilePath, tilePath, writeEntries } from "../../../signer/core/log/tiles.ts"
import { type Reader, requireSame, requireTrue } from "../engine/reader.ts"
import { oneOf, roundTrip } from "./round-trip.ts"

const PKCS8 = Buffer.from(`302e020100300506032b657004220420${"07".repeat(32)}`, "hex")
const log = noteSigner(
  "log.example/0",
  ED25519,
  createPrivateKey({ key: PKCS8, format: "der", type: "pkcs8" }),
)
const root = Buffer.alloc(32, 5)
const checkpoint = { origin: log.key.name, size: 1_000, root }
const signed = signCheckpoint(checkpoint, log)

const leaf = (kind: number, time: string) =>
  Buffer.from(`01${kind.toString(16).padStart(2, "0")}${time}${"00".repeat(7)}09${"ab".repeat(32)}`, "hex")
const ID = "0198c0de-0000-7000-8000-000000000001"
const decision = {
  organizationId: ID,
  activityId: ID,
  fingerprint: "cd".repeat(32),
  status: 1,
  counter: 3,
  startIndex: 1,
  decidedAtMs: 1_767_225_600_000,
}
const receipt = {
  status: 1,
  lane: 0,
  era: 0,
  startIndex: 300,
  counter: 2,
  index: 70_000,
  salt: Buffer.alloc(32, 1),
}

/** A note that its log signed says what the log signed, whatever was changed. */
const opened: Reader = {
  seeds: () => [signed],
  read: (input) => openCheckpoint(input, log.key)?.checkpoint,
  isRefusal: () => false,
  judge(_, outcome) {
    if ("value" in outcome && outcome.value !== undefined)
      requireSame(outcome.value, checkpoint, "another checkpoint")
  },
}

/** Lines behind the third are not read. */
const checkpoints: Reader = {
  seeds: () => [writeCheckpoint(checkpoint), `${writeCheckpoint(checkpoint)}more\n`],
  read: (input) => readCheckpoint(input.toString()),
  isRefusal: () => false,
  judge(input, outcome) {
    if (!("value" in outcome) || outcome.value === undefined) return
    const written = writeCheckpoint(outcome.value as Parameters<typeof writeCheckpoint>[0])
    requireTrue(input.toString().startsWith(written), "another spelling is read")
  },
}

const keys: Reader = {
  seeds: () => [`# keys\n${writeNoteKey(log.key)}\n\n`, `${writeNoteKey(log.key)}, ${writeNoteKey(log.key)}`],
  read: (input) => readNoteKeys(input.toString(), ED25519),
  isRefusal: () => false,
}

const parts: Parameters<typeof oneOf>[0] = [
  roundTrip({
    read: (input) => readTilePath(input.toString("latin1")),
    write: tilePath,
    seeds: () => ["tile/0/000", "tile/entries/x001/x234/067.p/7", "tile/63/x999/999"],
  }),
  roundTrip({
    // The first byte is the number of entries.
    read: ([width, ...bundle]) =>
      width === undefined ? undefined : readEntries(Uint8Array.from(bundle), width),
    write: (entries) => Buffer.concat([Buffer.of(entries.length), writeEntries(entries)]),
    seeds: () => [Buffer.from("0200010a0003616263", "hex"), Buffer.from("00", "hex")],
  }),
  roundTrip({
    read: readLeaf,
    write(read) {
      const bytes = Buffer.alloc(50)
      writeLeaf(read, bytes)
      return bytes
    },
    seeds: () => [1, 2, 3, 4, 5, 6].map((kind) => leaf(kind, "000000006955b900")),
  }),
  roundTrip({ read: readDecision, write: writeDecision, seeds: () => [writeDecision(decision)] }),
  roundTrip({
    read: readLogReceipt,
    write: writeLogReceipt,
    seeds: () => [writeLogReceipt(receipt)],
  }),
  roundTrip({ read: readNote, write: writeNote, seeds: () => [signed] }),
  roundTrip({
    read: (input) => readSignatureLines(input),
    write: (signatures) => writeNote({ text: "", signatures }).slice(1),
    seeds: () => [signed.slice(signed.indexOf("\n\n") + 2)],
  }),
  roundTrip({
    read: (input) => readNoteKey(input.toString()),
    write: writeNoteKey,
    seeds: () => [writeNoteKey(log.key)],
  }),
  roundTrip({
    read: readAddCheckpoint,
    write: writeAddCheckpoint,
    seeds: () => [writeAddCheckpoint({ oldSize: 7, proof: [root, root], note: Buffer.from(signed) })],
  }),
  checkpoints,
  opened,
  keys,
]

export const logFormats = oneOf(parts)
