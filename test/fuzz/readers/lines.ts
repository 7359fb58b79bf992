// Texts of operators and clients that are no JSON. The first byte selects the reader.
import { create, toBinary } from "@bufbuild/protobuf"
import { p256 } from "@noble/curves/nist.js"
import { BackupPartHeaderSchema, BackupPartKind } from "../../../proto/gen/countersign/state/v1/backup_pb.ts"
import { BackupFault } from "../../../signer/core/backup/fault.ts"
import { readHolderKeys, readHolderPrivateKey } from "../../../signer/core/backup/keys.ts"
import { readPartHeader } from "../../../signer/core/backup/part.ts"
import { p256Point } from "../../../signer/core/crypto/p256.ts"
import { readPublicKeySet } from "../../../signer/core/crypto/keyset.ts"
import { readFetcherKeys } from "../../../signer/core/fetch-orders/pairing.ts"
import { readActText } from "../../../signer/core/holder-acts/act-text.ts"
import { readAsset } from "../../../signer/core/modules/policies/velocity/assets.ts"
import { readFileList } from "../../../signer/core/release/file-list.ts"
import { readUnsigned } from "../../../signer/core/transaction/unsigned.ts"
import { readTargetKey } from "../../../signer/enclave/bundles/message.ts"
import { type Reader, requireSame, requireTrue, valueOf } from "../engine/reader.ts"
import { isAnyRefusal, isNoError } from "./refusals.ts"
import { oneOf, roundTrip } from "./round-trip.ts"
import { p256KeyOf } from "./test-keys.ts"

const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString("hex")
const COMPRESSED = [7, 9].map((byte) => hex(p256.getPublicKey(Buffer.alloc(32, byte))))
const POINT = hex(p256Point(p256KeyOf(7).publicKey))

const ACT = [
  "countersign/v1/holder-act",
  "Act:           unlock",
  "Meaning:       the signer opens its seed",
  "Deployment:    0198c0de",
  "Generation:    1",
  "Holders:       3 of 5, 5f3a9c1e77b0d214",
  `Nonce:         ${"ab".repeat(16)}`,
  "Expires:       2026-01-01T00:00:00.000Z",
  "",
].join("\n")

const actText: Reader = {
  seeds: () => [ACT],
  read: (input) => readActText(input),
  isRefusal: isAnyRefusal,
  judge(input, outcome) {
    if (!("value" in outcome)) return
    const { text, act, nonce } = outcome.value as ReturnType<typeof readActText>
    requireSame(text, input.toString("latin1"), "the text")
    // oxlint-disable-next-line no-control-regex -- what a terminal would obey is refused
    requireTrue(!/[^\x20-\x7e\n]/.test(text), "a character that a terminal may obey")
    requireSame(text.match(/^Act: +(.*)$/gm)?.length, 1, "the lines with an act")
    requireTrue(text.includes(act) && text.includes(hex(nonce)), "an act that is not in the text")
  },
}

const fileList = roundTrip({
  read: (input) => readFileList(input.toString()),
  write: (files) => files.map(({ path, sha256 }) => `${sha256}  ${path}\n`).join(""),
  seeds: () => [`${"ab".repeat(32)}  signer/main.ts\n${"cd".repeat(32)}  a b.txt\n`],
})

const holderKeys: Reader = {
  seeds: () => [`# holders\n${COMPRESSED.join(" first\n")}\n`, COMPRESSED[0] ?? ""],
  read: (input) => readHolderKeys(input.toString()),
  isRefusal: (error) => error instanceof RangeError,
  judge(_, outcome) {
    if (!("value" in outcome)) return
    for (const { compressed } of outcome.value as { compressed: Uint8Array }[])
      p256.Point.fromBytes(compressed)
  },
}

const holderPrivateKey: Reader = {
  seeds: () => [
    "07".repeat(32),
    `${"09".repeat(32)}:p256`,
    p256KeyOf(7).privateKey.export({ format: "pem", type: "pkcs8" }).toString(),
  ],
  read: (input) => readHolderPrivateKey(input.toString()),
  isRefusal: isNoError,
}

const fetcherKeys = roundTrip({
  read: (input) => readFetcherKeys(input.toString("latin1")),
  write: ({ fetcherPublicKey, onRampPublicKey }) => fetcherPublicKey + onRampPublicKey,
  seeds: () => [POINT + POINT, POINT + POINT + (COMPRESSED[1] ?? "")],
})

const keySet = roundTrip({
  read: (input) => readPublicKeySet(input.toString("latin1")),
  write: ({ encrypt, sign }) => hex(p256Point(encrypt)) + hex(p256Point(sign)),
  seeds: () => [POINT + POINT],
})

const targetKey: Reader = {
  seeds: () => [POINT, COMPRESSED[0] ?? "", POINT.toUpperCase()],
  read: (input) => readTargetKey(input.toString(), "f"),
  isRefusal: isAnyRefusal,
  judge(input, outcome) {
    if (!("value" in outcome)) return
    const point = hex(p256Point(outcome.value as ReturnType<typeof readTargetKey>))
    requireSame(p256.Point.fromHex(point).toHex(false), point, "a point of noble")
    requireTrue(input.toString().toLowerCase().startsWith(point), "another point")
  },
}

const asset: Reader = {
  seeds: () => [
    "eip155:1/slip44:60",
    "eip155:1/erc20:0x70997970c51812dc3a010c7d01b50e0d17dc79c8",
    "solana:mainnet/token:EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v",
    "bip122:000000000019d6689c085ae165831e93/slip44:0",
    "tron:0x2b6653dc/trc20:TUEZSdKsoDHQMeZwihtdoBiN46zxhGWYdH",
  ],
  read: (input) => readAsset(input.toString()),
  isRefusal: isNoError,
  judge(input, outcome) {
    const read = valueOf(outcome) as ReturnType<typeof readAsset>
    if (read !== undefined)
      requireTrue(input.toString().startsWith(`${read.family}:`), "an asset of another family")
  },
}

const unsigned: Reader = {
  seeds: () => ["0x02c0", "ABcd", ""],
  read: (input) => readUnsigned(input.toString()),
  isRefusal: isAnyRefusal,
  judge(input, outcome) {
    if ("value" in outcome)
      requireSame(
        hex(outcome.value as Uint8Array),
        input.toString().replace(/^0x/, "").toLowerCase(),
        "other bytes",
      )
  },
}

const HEADER = {
  backupId: "ab".repeat(16),
  kind: BackupPartKind.SIGNER,
  madeAtMs: 5n,
  release: "1",
  recipients: [{}],
}
const partHeader: Reader = {
  seeds: () => [toBinary(BackupPartHeaderSchema, create(BackupPartHeaderSchema, HEADER))],
  read: (input) => readPartHeader(input),
  isRefusal: (error) => error instanceof BackupFault,
}

export const lines = oneOf([
  actText,
  fileList,
  holderKeys,
  holderPrivateKey,
  fetcherKeys,
  keySet,
  targetKey,
  asset,
  unsigned,
  partHeader,
])
