import { createHash } from "node:crypto"
import { create, toBinary } from "@bufbuild/protobuf"
import { type Pins, PinsSchema } from "../../../proto/gen/countersign/state/v1/setup_pb.ts"
import { type BundleWriter, bundleWriter } from "../bundles/signed-bundle.ts"
import { deriveBranch } from "../../core/crypto/branch.ts"
import { openKeySet, signDigestless } from "../../core/crypto/keyset.ts"
import { type MacKey, openMacKey } from "../keys/record-mac.ts"
import type { Secret } from "../../core/crypto/secret.ts"
import type { Notary } from "../organization/notarize.ts"
import { type SessionClaims, writeSessionToken } from "../proof/session-token.ts"
import type { RecordKeys } from "../records/record.ts"
import { makeNotary } from "./notary.ts"

/** Everything the root seed gives. Branches are independent: none tells anything about another. */
export type Keyring = {
  records: RecordKeys
  /** Keyed digests of names, addresses and identities in the ledger. */
  identity: MacKey
  /** Setup codes. */
  setup: MacKey
  /** Rows of the ledger. */
  ledger: Secret
  notary: Notary
  /** Bundles to users, signed with the signer's key: there is no other use of it. */
  bundles: BundleWriter
  /** Session tokens, signed with the notarizer's key. */
  sessionToken: (claims: SessionClaims) => string
  pins: Pins
  /** SHA-256 of the serialized pins. */
  pinsDigest: Uint8Array
}

/** Generation of the sealing and record keys; rotation (a later part) moves it on. */
const EPOCH = 1

/** @param fetcherPublicKey of the paired fetcher: it belongs to what clients pin */
export function openKeyring(rootSeed: Secret, fetcherPublicKey?: string): Keyring {
  const branch = (name: string) => deriveBranch(rootSeed, name)
  const opened = <T>(name: string, open: (secret: Secret) => T) => consume(branch(name), open)
  const notarizer = opened("notarizer", openKeySet)
  const signer = opened("signer", openKeySet)
  const pins = create(PinsSchema, {
    deploymentId: opened("deployment-id", (secret) => secret.use(uuidOf)),
    signerPublicKey: signer.publicHex,
    notarizerPublicKey: notarizer.publicHex,
    ...(fetcherPublicKey !== undefined && { fetcherPublicKey }),
  })
  return {
    records: { mac: opened("record-mac", openMacKey), seal: branch(`seal:${EPOCH}`), epoch: EPOCH },
    identity: opened("identity", openMacKey),
    setup: opened("setup-code", openMacKey),
    ledger: branch("ledger"),
    notary: makeNotary(notarizer),
    bundles: bundleWriter(signer),
    sessionToken: (claims) => writeSessionToken(claims, (message) => signDigestless(notarizer, message)),
    pins,
    pinsDigest: createHash("sha256").update(toBinary(PinsSchema, pins)).digest(),
  }
}

/** The opened key is a copy out of JavaScript's reach; ours is wiped. */
function consume<T>(secret: Secret, open: (secret: Secret) => T): T {
  try {
    return open(secret)
  } finally {
    secret.wipe()
  }
}

/** A version 8 UUID (RFC 9562 section 5.8) from the first 16 bytes. */
function uuidOf(bytes: Uint8Array): string {
  const id = Buffer.from(bytes.subarray(0, 16))
  id[6] = (id[6]! & 0x0f) | 0x80
  id[8] = (id[8]! & 0x3f) | 0x80
  const hex = id.toString("hex")
  id.fill(0)
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join("-")
}
