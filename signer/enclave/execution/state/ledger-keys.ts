import type { AddressFormat } from "../../../../proto/gen/countersign/api/v1/enums_pb.ts"
import type { SecretPurpose } from "../../../core/fetch-orders/bound-secret.ts"
import type { AccountName, AddressTarget, NamedKind } from "../../activities/change-set.ts"
import { canonicalAddress } from "../../../core/address/canonical.ts"
import { macRecord } from "../../keys/record-mac.ts"
import type { LedgerRow } from "../../ledger/ledger.ts"
import type { Keyring } from "../../provision/keyring.ts"

// Keys of rows are keyed digests, so that the ledger's file reveals no names or addresses.

/** Stays once any activity has waited for votes. Without it a signature needs no look-up of its fingerprint. */
export const HAS_HAD_PENDING: LedgerRow = { kind: "waited", key: "", value: new Uint8Array(0) }

export function addressKey(keyring: Keyring, address: string): string {
  return digestKey(keyring, "address", canonicalAddress(address))
}

export function nameKey(keyring: Keyring, kind: NamedKind, name: string): string {
  return digestKey(keyring, `name:${kind.replaceAll(" ", "-")}`, name)
}

/** Key of the row with the time of an issuer's newest statement. */
export function issuerRowKey(keyring: Pick<Keyring, "identity">, issuer: string): string {
  return digestKey(keyring, "issuer", issuer)
}

/** Spreads fingerprints over index shards. A caller chooses the fingerprint of a body but must not choose its shard. */
export function fingerprintDigest(keyring: Pick<Keyring, "identity">, fingerprint: string): string {
  return digestKey(keyring, "fingerprint", fingerprint)
}

/** Spreads the use of sponsorship of sub-organizations over index shards. */
export function usageDigest(keyring: Pick<Keyring, "identity">, organizationId: string): string {
  return digestKey(keyring, "gas-usage", organizationId)
}

/** Key of the row of one use of a token. */
export function tokenUseKey(keyring: Pick<Keyring, "identity">, use: string, id: string): string {
  return digestKey(keyring, "token-use", `${use} ${id}`)
}

/** Key of the row with the address of an account. The wallet comes first: rows are read by wallet. */
export function walletAccountKey({ walletId, accountId }: AccountName): string {
  return `${walletId}/${accountId}`
}

export function accountOfKey(key: string): string {
  return key.slice(key.indexOf("/") + 1)
}

/** `<key of the address row>`, followed by ` exported` when the account's own key was exported. */
export function writeWalletAccount({ key, isExported }: { key: string; isExported: boolean }): Uint8Array {
  return Buffer.from(isExported ? `${key} ${EXPORTED}` : key)
}

export function readWalletAccount(row: Uint8Array): { key: string; isExported: boolean } {
  const [key = "", mark] = Buffer.from(row).toString().split(" ")
  return { key, isExported: mark === EXPORTED }
}

const EXPORTED = "exported"

/** Key of the deployment's row that names the organization of a secret that is sealed to the fetcher. */
export function sealedSecretKey({ identity }: Keyring, purpose: SecretPurpose, sealed: Uint8Array): string {
  return Buffer.from(macRecord(identity, `countersign/v1/${purpose}`, sealed)).toString("hex")
}

/** One line for each, oldest first: `<account id> <wallet id> <address format>`, or `<private key id>`. */
export function writeAddressTargets(targets: readonly AddressTarget[]): Uint8Array {
  return Buffer.from(targets.map(writeAddressTarget).join("\n"))
}

export function readAddressTargets(row: Uint8Array): AddressTarget[] {
  return Buffer.from(row).toString().split("\n").map(readLine)
}

/** The oldest target of an address: all of its targets have the same key. */
export function readAddressTarget(row: Uint8Array): AddressTarget {
  return readAddressTargets(row)[0]!
}

function writeAddressTarget(target: AddressTarget): string {
  if ("privateKeyId" in target) return target.privateKeyId
  return `${target.accountId} ${target.walletId} ${target.addressFormat}`
}

function readLine(line: string): AddressTarget {
  const [id = "", walletId, addressFormat] = line.split(" ")
  return walletId === undefined
    ? { privateKeyId: id }
    : { accountId: id, walletId, addressFormat: Number(addressFormat) as AddressFormat }
}

function digestKey({ identity }: Pick<Keyring, "identity">, domain: string, text: string): string {
  return Buffer.from(macRecord(identity, `countersign/v1/${domain}`, Buffer.from(text))).toString("hex")
}
