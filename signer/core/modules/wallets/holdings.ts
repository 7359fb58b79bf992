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
import type {
  WalletFacts,
  AccountFacts,
  PrivateKeyFacts,
  KeyFacts,
  SecretFacts,
  NamedHoldings,
} from "../../policy/facts/holdings.ts"
import { type Parameters, text, texts } from "../../policy/parameters/shown-parameters.ts"

// Wallets and keys as policies see them: how requests name them, and how their records show them.

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
