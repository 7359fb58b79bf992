import type { AddressTarget, NamedKind } from "../activities/activity.ts"
import { canonicalAddress } from "../keys/address/index.ts"
import { macRecord } from "../keys/record-mac.ts"
import type { Keyring } from "../provision/keyring.ts"

// Ledger keys are keyed digests: the ledger's file tells nothing about names and addresses.

export function addressKey(keyring: Keyring, address: string): string {
  return digestKey(keyring, "address", canonicalAddress(address))
}

export function nameKey(keyring: Keyring, kind: NamedKind, name: string): string {
  return digestKey(keyring, `name:${kind.replaceAll(" ", "-")}`, name)
}

/** Of the deployment's own row that says whose a sealed client secret is. */
export function clientSecretKey({ identity }: Keyring, sealedSecret: Uint8Array): string {
  return Buffer.from(macRecord(identity, "countersign/v1/client-secret", sealedSecret)).toString("hex")
}

/** `<account id> <wallet id>`, or `<private key id>`. */
export function writeAddressTarget(target: AddressTarget): Uint8Array {
  if ("privateKeyId" in target) return Buffer.from(target.privateKeyId)
  return Buffer.from(`${target.accountId} ${target.walletId}`)
}

export function readAddressTarget(row: Uint8Array): AddressTarget {
  const [id = "", walletId] = Buffer.from(row).toString().split(" ")
  return walletId === undefined ? { privateKeyId: id } : { accountId: id, walletId }
}

function digestKey({ identity }: Keyring, domain: string, text: string): string {
  return Buffer.from(macRecord(identity, `countersign/v1/${domain}`, Buffer.from(text))).toString("hex")
}
