import type { ActivityEntry } from "../../../../proto/catalog.ts"
import { AddressFormatSchema, Curve, CurveSchema } from "../../../../proto/gen/countersign/api/v1/enums_pb.ts"
import type { OrganizationDocument } from "../../../../proto/gen/countersign/state/v1/document_pb.ts"
import type {
  PrivateKeyRecord,
  SecretRecord,
  WalletAccountRecord,
  WalletRecord,
} from "../../../../proto/gen/countersign/state/v1/record_pb.ts"
import { derivedIndices, HARDENED, parsePath } from "../../address/path.ts"
import { type Members, members } from "../expression.ts"
import { type Parameters, text } from "../parameters/shown-parameters.ts"

// Wallets and keys as policies see them. The signer reads them from its ledger, a simulation from the database.

export type WalletFacts = { id: string; label: string; imported: boolean; exported: boolean }

/** `path`: present where the account is exported. */
export type AccountFacts = { address: string; path?: readonly { index: number; hardened: boolean }[] }

export type PrivateKeyFacts = WalletFacts & { tags: readonly string[] }

/**
 * `curve`: its name in the interface. `publicKey`: hexadecimal, 66 digits compressed or 130; 64 for Ed25519. `addresses`:
 * the account's, or all of the private key, with the names of their formats.
 */
export type KeyFacts = {
  curve: string
  publicKey: string
  addresses: readonly { format: string; address: string }[]
}

/** `properties`: those given at the import, each key once. */
export type SecretFacts = { properties: readonly { key: string; value: string }[] }

export type Holdings = {
  wallet?: WalletFacts
  account?: AccountFacts
  privateKey?: PrivateKeyFacts
  /** The key of `signWith`. */
  key?: KeyFacts
  wallets?: readonly WalletFacts[]
  /** The secrets of an export, one for each item. */
  secrets?: readonly SecretFacts[]
}

/** The wallets and keys that an activity's parameters name. */
export type NamedHoldings =
  /** `signWith`: an address, or the id of a private key; the first of several signers. */
  | { readonly is: "signer"; readonly signWith: string }
  | { readonly is: "wallet"; readonly walletId: string }
  | { readonly is: "wallets"; readonly walletIds: readonly string[] }
  | { readonly is: "exported-account"; readonly address: string }
  | { readonly is: "private-key"; readonly privateKeyId: string }
  | { readonly is: "secrets"; readonly secretIds: readonly string[] }
  | { readonly is: "nothing" }

export function namedHoldings(
  { action, kind }: Pick<ActivityEntry, "action" | "kind">,
  parameters: Parameters,
): NamedHoldings {
  const { signWith, walletId, walletIds, address, privateKeyId, from, secrets } = parameters
  const [firstSigner = ""] = signersOf(parameters)
  // It is signed already, by anybody.
  if (kind === "ETH_SEND_RAW_TRANSACTION") return { is: "nothing" }
  if (action === "SIGN") {
    const signer = text(signWith) || text(privateKeyId) || text(from) || firstSigner
    return { is: "signer", signWith: signer }
  }
  switch (kind) {
    case "EXPORT_WALLET":
      return { is: "wallet", walletId: text(walletId) }
    case "EXPORT_WALLET_ACCOUNT":
      return { is: "exported-account", address: text(address) }
    case "EXPORT_PRIVATE_KEY":
      return { is: "private-key", privateKeyId: text(privateKeyId) }
    case "DELETE_WALLETS":
      return { is: "wallets", walletIds: (walletIds ?? []) as readonly string[] }
    case "EXPORT_SECRETS":
      return {
        is: "secrets",
        secretIds: ((secrets ?? []) as { secretId: string }[]).map(({ secretId }) => secretId),
      }
    default:
      return { is: "nothing" }
  }
}

/** The signers of a request that names several. */
export function signersOf({ signWiths }: Parameters): readonly string[] {
  return Array.isArray(signWiths) ? signWiths.map(text) : []
}

export function keyFacts(record: WalletAccountRecord | PrivateKeyRecord): KeyFacts {
  const { curve, publicKey } = record
  const addresses =
    "addresses" in record ? record.addresses : [{ format: record.addressFormat, address: record.address }]
  return {
    curve: CurveSchema.value[curve]?.name ?? "",
    publicKey,
    addresses: addresses.map(({ format, address }) => ({
      format: AddressFormatSchema.value[format]?.name ?? "",
      address,
    })),
  }
}

export function walletFacts(id: string, { name: label, imported, exported }: WalletRecord): WalletFacts {
  return { id, label, imported, exported }
}

export function privateKeyFacts(
  id: string,
  { name: label, imported, exported }: PrivateKeyRecord,
  { tags }: Pick<OrganizationDocument, "tags">,
): PrivateKeyFacts {
  const own = tags.filter(({ privateKeyIds }) => privateKeyIds.includes(id))
  return { id, label, imported, exported, tags: own.map(({ tagId }) => tagId) }
}

/** The path has the hardened indices by which the exported key was derived. */
export function exportedAccountFacts({ address, curve, path }: WalletAccountRecord): AccountFacts {
  const name = curve === Curve.ED25519 ? "CURVE_ED25519" : "CURVE_SECP256K1"
  const indices = derivedIndices(name, parsePath(path, "path"))
  return { address, path: indices.map((index) => ({ index: index % HARDENED, hardened: index >= HARDENED })) }
}

export function secretFacts({ staticProperties: properties }: SecretRecord): SecretFacts {
  return { properties }
}

export function walletValue({ id, label, imported, exported }: WalletFacts): Members {
  return members({ id, label, imported, exported })
}

export function accountValue({ address, path }: AccountFacts): Members {
  return members({
    address,
    path_indexes: path?.map(({ index }) => BigInt(index)),
    path_hardened: path?.map(({ hardened }) => hardened),
  })
}

export function privateKeyValue({ tags, ...key }: PrivateKeyFacts): Members {
  return members({ ...key, tags })
}

export function secretValue({ properties }: SecretFacts): Members {
  return members({ static_properties: new Map(properties.map(({ key, value }) => [key, value])) })
}
