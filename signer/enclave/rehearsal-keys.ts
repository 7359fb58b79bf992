// Shows that keys of a ledger's wallets sign.
import { createHash, createPublicKey, verify } from "node:crypto"
import { fromBinary } from "@bufbuild/protobuf"
import {
  RecordKind,
  type WalletAccountRecord,
  WalletAccountRecordSchema,
} from "../../proto/gen/countersign/state/v1/record_pb.ts"
import { parsePath } from "../core/address/path.ts"
import type { Curve } from "../core/crypto/curve.ts"
import { wiping } from "../core/crypto/secret.ts"
import { recordName } from "./execution/state/archived-records.ts"
import { deriveKey } from "./keys/derive/index.ts"
import type { SigningKey } from "./keys/signing-key.ts"
import { seedOf } from "./keys/wallet-secret.ts"
import { curveName } from "./keys/wire.ts"
import { openSecret } from "./records/record.ts"
import type { ServingState } from "./rpc/context.ts"

/** Numbers of keys that signed, by their curves, and of the organizations that were looked at. */
export type RehearsedKeys = { organizations: number; signatures: number; curves: Curve[] }

/** A rehearsal takes seconds, however large the ledger is. */
const MAX_ORGANIZATIONS = 1_000
const MAX_SIGNATURES = 100
const ACCOUNTS_AT_ONCE = { rows: 100, bytes: 1024 * 1024 }

type State = Pick<ServingState, "archive" | "keyring" | "ledger" | "random">

/**
 * Signs with the first wallet account of each curve in each organization, and verifies each signature with OpenSSL and the public key
 * that the account's record has since it was made. What is signed is random behind a name of its own: no chain takes it.
 * @throws {Error} naming the account whose key does not sign
 */
export function rehearseKeys(state: State): RehearsedKeys {
  const curves = new Set<Curve>()
  let [organizations, signatures] = [0, 0]
  for (const organizationId of organizationsOf(state)) {
    organizations += 1
    for (const [curve, account] of accountsOf(state, organizationId)) {
      if (signatures === MAX_SIGNATURES) return { organizations, signatures, curves: [...curves] }
      requireSignature(state, organizationId, account)
      curves.add(curve)
      signatures += 1
    }
  }
  return { organizations, signatures, curves: [...curves] }
}

function* organizationsOf({ ledger }: State): Generator<string> {
  let [after, left] = ["", MAX_ORGANIZATIONS]
  while (left > 0) {
    const page = ledger.organizations(after, Math.min(left, 100))
    if (page.length === 0) return
    for (const { organizationId } of page) yield organizationId
    left -= page.length
    after = page.at(-1)?.organizationId ?? ""
  }
}

/** The first account of each curve. */
function accountsOf({ ledger, archive }: State, organizationId: string): Map<Curve, WalletAccountRecord> {
  const accounts = new Map<Curve, WalletAccountRecord>()
  for (const { key } of ledger.page(organizationId, "wallet-account", "", ACCOUNTS_AT_ONCE).rows) {
    const [, accountId = ""] = key.split("/")
    const { payload } = archive.open(organizationId, recordName(RecordKind.WALLET_ACCOUNT, accountId))
    const account = fromBinary(WalletAccountRecordSchema, payload)
    const curve = curveName(account.curve)
    if (!accounts.has(curve)) accounts.set(curve, account)
  }
  return accounts
}

const DOMAIN = Buffer.from("countersign/v1/backup-rehearsal")

function requireSignature(state: State, organizationId: string, account: WalletAccountRecord): void {
  const key = keyOf(state, organizationId, account)
  try {
    const message = Buffer.concat([DOMAIN, Buffer.from([0]), state.random(32)])
    if (verifies(account, message, sign(key, message))) return
  } finally {
    key.wipe()
  }
  throw new Error(
    `the key of wallet account ${account.address} of organization ${organizationId} does not sign for its public key`,
  )
}

function keyOf(
  { archive, keyring }: State,
  organizationId: string,
  { walletId, curve, path }: WalletAccountRecord,
): SigningKey {
  const secret = openSecret(
    archive.open(organizationId, recordName(RecordKind.WALLET, walletId)),
    keyring.records,
  )
  const seed = wiping([secret], () => seedOf(secret))
  return wiping([seed], () => deriveKey(curveName(curve), seed, parsePath(path, "path")))
}

function sign(key: SigningKey, message: Buffer): Buffer {
  const digest = createHash("sha256").update(message).digest()
  const { r, s } = key.sign(key.curve === "CURVE_ED25519" ? { message } : { digest, sha256Of: message })
  return Buffer.from(r + s, "hex")
}

/** Beginnings of a SubjectPublicKeyInfo (RFC 5480, RFC 8410), before a compressed point or a key of Ed25519. */
const SPKI: { readonly [curve in Curve]: string } = {
  CURVE_SECP256K1: "3036301006072a8648ce3d020106052b8104000a032200",
  CURVE_P256: "3039301306072a8648ce3d020106082a8648ce3d030107032200",
  CURVE_ED25519: "302a300506032b6570032100",
}

function verifies(account: WalletAccountRecord, message: Buffer, signature: Buffer): boolean {
  const curve = curveName(account.curve)
  const spki = Buffer.from(SPKI[curve] + account.publicKey, "hex")
  const key = createPublicKey({ key: spki, format: "der", type: "spki" })
  return curve === "CURVE_ED25519"
    ? verify(null, message, key, signature)
    : verify("sha256", message, { key, dsaEncoding: "ieee-p1363" }, signature)
}
