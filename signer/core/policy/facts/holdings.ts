import type { ActivityEntry, DeclaredFact } from "../../../../proto/catalog.ts"
import { AddressFormatSchema, Curve, CurveSchema } from "../../../../proto/gen/countersign/api/v1/enums_pb.ts"
import { Fact } from "../../../../proto/gen/countersign/api/v1/options_pb.ts"
import type { OrganizationDocument } from "../../../../proto/gen/countersign/state/v1/document_pb.ts"
import type {
  PrivateKeyRecord,
  SecretRecord,
  WalletAccountRecord,
  WalletRecord,
} from "../../../../proto/gen/countersign/state/v1/record_pb.ts"
import { derivedIndices, HARDENED, parsePath } from "../../address/path.ts"
import { type Members, members } from "../expression.ts"
import { type Parameters, text, texts } from "../parameters/shown-parameters.ts"

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

/** Follows from the activity's declared facts. */
export function namedHoldings(
  { facts }: Pick<ActivityEntry, "facts">,
  parameters: Parameters,
): NamedHoldings {
  for (const source of facts) {
    const named = holdingsNamedBy(source, parameters[source.parameter])
    if (named !== undefined) return named
  }
  return { is: "nothing" }
}

function holdingsNamedBy({ fact }: DeclaredFact, value: unknown): NamedHoldings | undefined {
  switch (fact) {
    case Fact.SIGNER:
      return { is: "signer", signWith: text(value) }
    case Fact.SIGNERS:
      return { is: "signer", signWith: texts(value)[0] ?? "" }
    case Fact.WALLET:
      return { is: "wallet", walletId: text(value) }
    case Fact.WALLETS:
      return { is: "wallets", walletIds: texts(value) }
    case Fact.WALLET_ACCOUNT:
      return { is: "exported-account", address: text(value) }
    case Fact.PRIVATE_KEY:
      return { is: "private-key", privateKeyId: text(value) }
    case Fact.SECRETS:
      return {
        is: "secrets",
        secretIds: ((value ?? []) as { secretId: string }[]).map(({ secretId }) => secretId),
      }
    default:
      // Facts of payloads and transactions name no wallet.
      return undefined
  }
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
