// Sealed bytes: bundles of clients, envelopes, records, sealed seeds, shares. Nothing opens but what was sealed, as it was.
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { toBinary } from "@bufbuild/protobuf"
import { RecordKind, RecordSchema } from "../../../proto/gen/countersign/state/v1/record_pb.ts"
import { openEnvelope, sealEnvelope } from "../../../signer/core/crypto/envelope.ts"
import { p256Point } from "../../../signer/core/crypto/p256.ts"
import { Secret } from "../../../signer/core/crypto/secret.ts"
import { readSealedSeed, writeSealedSeed } from "../../../signer/core/sealed-seed/format.ts"
import { openByKey } from "../../../signer/core/sealed-seed/open.ts"
import { readShareWords, wordsOfShare } from "../../../signer/core/sealed-seed/share-words.ts"
import { readShare } from "../../../signer/core/sealed-seed/share.ts"
import { sealMessage } from "../../../signer/enclave/bundles/message.ts"
import { openBundle } from "../../../signer/enclave/bundles/sealed-bundle.ts"
import { makeRecord, openRecord, openSecret, writeRecord } from "../../../signer/enclave/records/record.ts"
import { type Reader, requireSame } from "../engine/reader.ts"
import { json } from "../formats/json.ts"
import { protobuf } from "../formats/protobuf.ts"
import { isAnyRefusal, isNoError } from "./refusals.ts"
import { hexOfSecret, p256KeyOf } from "./test-keys.ts"

const own = p256KeyOf(7)
const PLAIN = Buffer.from("a secret of 32 bytes, more or less")
const plain = () => Secret.copyOf(PLAIN)
const same = (length: number) => new Uint8Array(length).fill(3)

/** Reads to the plaintext's digits; undefined: it does not open. */
export const bundle: Reader<string> = {
  format: json,
  seeds() {
    const { encappedPublic, ciphertext } = sealMessage(own.publicKey, plain(), same)
    const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString("hex")
    return [JSON.stringify({ encappedPublic: hex(encappedPublic), ciphertext: hex(ciphertext) })]
  },
  read: (input) => hexOfSecret(openBundle(own.scalar, input.toString(), "f")),
  isRefusal: isAnyRefusal,
  judge(_, outcome) {
    if ("value" in outcome) requireSame(outcome.value, PLAIN.toString("hex"), "it opens to another plaintext")
  },
}

export const envelope: Reader<string | undefined> = {
  seeds: () => [sealEnvelope(p256Point(own.publicKey), plain(), same)],
  read(input) {
    const opened = openEnvelope(own.privateKey, input)
    return opened && hexOfSecret(opened)
  },
  isRefusal: isNoError,
  judge(_, outcome) {
    if ("value" in outcome && outcome.value !== undefined)
      requireSame(outcome.value, PLAIN.toString("hex"), "it opens to another plaintext")
  },
}

const recordKeys = {
  mac: new Uint8Array(32).fill(1),
  seal: Secret.copyOf(new Uint8Array(32).fill(2)),
  epoch: 1,
}
const ID = "0198c0de-0000-7000-8000-000000000001"
const draft = { organizationId: ID, id: ID, version: 1n, payload: Buffer.from("payload") }
const RECORDS = [
  makeRecord({ ...draft, kind: RecordKind.WALLET, secret: plain() }, recordKeys, same),
  makeRecord({ ...draft, kind: RecordKind.SESSION, version: 300n }, recordKeys, same),
]

type ReadRecord = { record: ReturnType<typeof openRecord>; secret: string | undefined }

export const record: Reader<ReadRecord> = {
  format: protobuf,
  seeds: () => RECORDS.map(writeRecord),
  read(input) {
    const read = openRecord(input, recordKeys)
    return {
      record: read,
      secret: read.sealed.length > 0 ? hexOfSecret(openSecret(read, recordKeys)) : undefined,
    }
  },
  isRefusal: isAnyRefusal,
  judge(_, outcome) {
    if ("refusal" in outcome) return
    const bytes = Buffer.from(toBinary(RecordSchema, { ...outcome.value.record, $unknown: [] }))
    const made = RECORDS.find((one) => Buffer.from(toBinary(RecordSchema, one)).equals(bytes))
    requireSame(made !== undefined, true, "a record that nobody made is authentic")
  },
}

type Golden = { dangerouslyRevealedSeed: string; commandKey: string; file: string; shares: string[] }
const golden = JSON.parse(
  readFileSync(join(import.meta.dirname, "../../golden/sealed-seed-1.json"), "utf8"),
) as Golden

export const sealedSeed: Reader<{ written: Uint8Array; seed: string | undefined }> = {
  seeds: () => [Buffer.from(golden.file, "hex")],
  read(input) {
    const sealed = readSealedSeed(input)
    return { written: writeSealedSeed(sealed), seed: openedSeed(sealed) }
  },
  isRefusal: isAnyRefusal,
  judge(input, outcome) {
    if ("refusal" in outcome) return
    requireSame(outcome.value.written, input, "another spelling is read")
    const { seed = golden.dangerouslyRevealedSeed } = outcome.value
    requireSame(seed, golden.dangerouslyRevealedSeed, "another seed opens")
  },
}

/** A file that can be read need not open. */
function openedSeed(sealed: ReturnType<typeof readSealedSeed>): string | undefined {
  try {
    return hexOfSecret(openByKey(sealed, Secret.copyOf(Buffer.from(golden.commandKey, "hex"))))
  } catch (error) {
    if (isAnyRefusal(error)) return undefined
    throw error
  }
}

/** A wrong share is compared with all that differ in one word: 82,000 checksums. */
export const shareWords: Reader<string> = {
  maxBlocks: 100_000_000,
  maxLength: 600,
  seeds: () => golden.shares,
  read(input) {
    const share = readShareWords(input.toString())
    const { label } = share.use(readShare)
    return `${label.number} ${wordsOfShare(share).join(" ")}`
  },
  isRefusal: isAnyRefusal,
  judge(_, outcome) {
    if (!("value" in outcome)) return
    const made = golden.shares.map((words, index) => `${index + 1} ${words}`)
    requireSame(made.includes(outcome.value), true, "words that are no share are read as one")
  },
}
