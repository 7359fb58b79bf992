import { createHash, createPublicKey } from "node:crypto"
import { create, toBinary } from "@bufbuild/protobuf"
import { type Pins, PinsSchema } from "../../../proto/gen/countersign/state/v1/setup_pb.ts"
import { type BundleWriter, bundleWriter } from "../bundles/signed-bundle.ts"
import { deriveBranch } from "../../core/crypto/branch.ts"
import { isSignedTagged, type KeySet, openKeySet, signMessage, signTagged } from "../../core/crypto/keyset.ts"
import { readFetcherKeys } from "../../core/fetch-orders/pairing.ts"
import { type MacKey, openMacKey } from "../keys/record-mac.ts"
import { keys } from "../modules/keys.ts"
import { Secret, wiping } from "../../core/crypto/secret.ts"
import { type ReadOnlySession, writeReadOnlySession } from "../../core/session/read-only-session.ts"
import type { Notary } from "../organization/notarize.ts"
import { type SessionClaims, writeSessionToken } from "../proof/session-token.ts"
import type { RecordKeys } from "../records/record.ts"
import { type LogKey, openLogKey } from "./log-key.ts"

/** All keys derived from the root seed. Branches are independent: a branch reveals nothing about another. */
export type Keyring = {
  records: RecordKeys
  /** Key of the digests of names, addresses and identities in the ledger. */
  identity: MacKey
  /** Key of setup codes. */
  setup: MacKey
  /** Key of the ledger's rows. */
  ledger: Secret
  /** Key of mailed keys. */
  mailedKeys: Secret
  notary: Notary
  /** Key of the log, certified by the notarizer. */
  log: LogKey
  /** Bundles to users, signed with the signer's key, which has no other use. */
  bundles: BundleWriter
  /** Session tokens, signed with the notarizer's key. */
  sessionToken: (claims: SessionClaims) => string
  /** Texts of read-only sessions, signed likewise. */
  readOnlySession: (session: ReadOnlySession) => string
  pins: Pins
  /** SHA-256 of the serialized pins. */
  pinsDigest: Uint8Array
} & ModuleKeys

/** Keys of modules by name. Each signs for its feature, and nothing else. */
type ModuleKeys = { readonly [Name in keyof typeof keys]: ReturnType<(typeof keys)[Name]["open"]> }

/** Generation of the sealing and record keys; a key rotation would increase it. */
const EPOCH = 1

/** Public keys of paired processes, which are pins. */
export type Pairing = {
  /** `FetcherKeys`. */
  fetcherPublicKey?: string | undefined
  /** Own key of the auth proxy, compressed. */
  authProxyPublicKey?: string | undefined
}

export function openKeyring(rootSeed: Secret, pairing: Pairing = {}): Keyring {
  const branch = (name: string) => deriveBranch(rootSeed, name)
  /** Opens a key, which copies the secret outside the JavaScript heap. */
  const opened = <T>(name: string, open: (secret: Secret) => T) => {
    const secret = branch(name)
    return wiping([secret], () => open(secret))
  }
  const notarizer = opened("notarizer", openKeySet)
  const signer = opened("signer", openKeySet)
  const { fetcherPublicKey = "", onRampPublicKey = "" } =
    readFetcherKeys(pairing.fetcherPublicKey ?? "") ?? {}
  const pins = create(PinsSchema, {
    deploymentId: opened("deployment-id", (secret) => secret.use(uuidOf)),
    signerPublicKey: signer.publicHex,
    notarizerPublicKey: notarizer.publicHex,
    fetcherPublicKey,
    onRampPublicKey,
    authProxyPublicKey: pairing.authProxyPublicKey ?? "",
  })
  const notary = createNotary(notarizer)
  return {
    records: { mac: opened("record-mac", openMacKey), seal: branch(`seal:${EPOCH}`), epoch: EPOCH },
    identity: opened("identity", openMacKey),
    setup: opened("setup-code", openMacKey),
    ledger: branch("ledger"),
    mailedKeys: branch("mailed-key"),
    notary,
    log: opened("log", (secret) => openLogKey(secret, pins.deploymentId, notary)),
    bundles: bundleWriter(signer),
    sessionToken: (claims) => writeSessionToken(claims, (message) => signMessage(notarizer, message)),
    readOnlySession: (session) => writeReadOnlySession(session, (message) => signMessage(notarizer, message)),
    pins,
    pinsDigest: digestOf(pins),
    ...moduleKeys(opened),
  }
}

/** The keyring with pins that name the ledger's epoch. In epoch 0 they are the pins of a keyring without a ledger. */
export function keyringAt(keyring: Keyring, ledgerEpoch: number): Keyring {
  // A deployment that never gave state up has the pins that it had before there were epochs.
  const pins = { ...keyring.pins, ...(ledgerEpoch > 0 && { ledgerEpoch: BigInt(ledgerEpoch) }) }
  return { ...keyring, pins, pinsDigest: digestOf(pins) }
}

function digestOf(pins: Pins): Uint8Array {
  return createHash("sha256").update(toBinary(PinsSchema, pins)).digest()
}

/**
 * Overwrites the keys of a keyring that nothing uses any more. Keys within OpenSSL are overwritten when the collector frees
 * them (THREAT_MODEL, W61).
 */
export function wipeKeyring(keyring: Keyring): void {
  for (const secret of [keyring.records.seal, ...Object.values(keyring)])
    if (secret instanceof Secret) secret.wipe()
}

function moduleKeys(opened: <T>(name: string, open: (secret: Secret) => T) => T): ModuleKeys {
  const entries = Object.entries(keys).map(([name, { branch, open }]) => [
    name,
    opened<unknown>(branch, open),
  ])
  return Object.fromEntries(entries)
}

/** Signs with the notarizer's key; each kind of statement has its own tag. */
function createNotary(keySet: KeySet): Notary {
  const publicKey = createPublicKey(keySet.sign)
  return {
    sign: (tag, bytes) => signTagged(keySet, tag, bytes),
    verify: (tag, bytes, signature) => isSignedTagged(publicKey, tag, bytes, signature),
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
