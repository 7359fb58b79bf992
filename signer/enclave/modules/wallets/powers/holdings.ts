import { type DescMessage, fromBinary, type Message, type MessageShape } from "@bufbuild/protobuf"
import {
  PrivateKeyRecordSchema,
  type Record,
  RecordKind,
  SecretRecordSchema,
  WalletAccountRecordSchema,
  WalletRecordSchema,
} from "../../../../../proto/gen/countersign/state/v1/record_pb.ts"
import type { Organization } from "../../../../core/organization/organization.ts"
import type {
  Holdings,
  NamedHoldings,
  PrivateKeyFacts,
  SecretFacts,
  WalletFacts,
} from "../../../../core/policy/facts/holdings.ts"
import {
  exportedAccountFacts,
  keyFacts,
  privateKeyFacts,
  secretFacts,
  walletFacts,
} from "../../../../core/modules/wallets/holdings.ts"
import type { ExecutionDeps } from "../../../execution/state/deps.ts"
import { recordName } from "../../../execution/state/archived-records.ts"
import { accountTargetOf, signTargetOf } from "./sign-with.ts"

type Deps = Pick<ExecutionDeps, "ledger" | "keyring" | "archive">

/**
 * The wallets and keys that a request names, as policies see them.
 * @throws SIGN_WITH_UNKNOWN, RESOURCE_UNKNOWN, RECORD_DELETED: running the activity would be refused by the same codes
 */
export function holdingsOf(named: NamedHoldings, organization: Organization, deps: Deps): Holdings {
  const reader = new HoldingsReader(organization, deps)
  switch (named.is) {
    case "signer":
      return reader.signer(named.signWith)
    case "wallet":
      return { wallet: reader.wallet(named.walletId, "parameters.walletId") }
    case "wallets":
      return {
        wallets: named.walletIds.map((id, index) => reader.wallet(id, `parameters.walletIds[${index}]`)),
      }
    case "exported-account":
      return reader.exportedAccount(named.address)
    case "private-key":
      return { privateKey: reader.privateKey(named.privateKeyId, "parameters.privateKeyId") }
    case "secrets":
      return {
        secrets: named.secretIds.map((id, index) =>
          reader.secret(id, `parameters.secrets[${index}].secretId`),
        ),
      }
    case "nothing":
      return {}
    default:
      return named satisfies never
  }
}

/** Reads the records of one organization. */
class HoldingsReader {
  readonly #organization: Organization
  readonly #deps: Deps

  constructor(organization: Organization, deps: Deps) {
    this.#organization = organization
    this.#deps = deps
  }

  signer(signWith: string): Holdings {
    const target = signTargetOf(this.#organization.id, signWith, this.#deps)
    if ("privateKeyId" in target) return this.#privateKeySigner(target.privateKeyId)
    const record = this.#account(target.accountId)
    const account = { address: record.address }
    return { wallet: this.wallet(target.walletId), account, key: keyFacts(record) }
  }

  exportedAccount(address: string): Holdings {
    const target = accountTargetOf(this.#organization.id, address, "parameters.address", this.#deps)
    const account = exportedAccountFacts(this.#account(target.accountId))
    return { wallet: this.wallet(target.walletId), account }
  }

  wallet(id: string, field?: string): WalletFacts {
    const record = this.#record(RecordKind.WALLET, id, field)
    return walletFacts(record.id, payloadOf(WalletRecordSchema, record))
  }

  privateKey(id: string, field?: string): PrivateKeyFacts {
    const record = this.#record(RecordKind.PRIVATE_KEY, id, field)
    return privateKeyFacts(record.id, payloadOf(PrivateKeyRecordSchema, record), this.#organization.document)
  }

  secret(id: string, field: string): SecretFacts {
    return secretFacts(payloadOf(SecretRecordSchema, this.#record(RecordKind.SECRET, id, field)))
  }

  #privateKeySigner(id: string): Holdings {
    const record = this.#record(RecordKind.PRIVATE_KEY, id)
    return { privateKey: this.privateKey(id), key: keyFacts(payloadOf(PrivateKeyRecordSchema, record)) }
  }

  #account(id: string) {
    return payloadOf(WalletAccountRecordSchema, this.#record(RecordKind.WALLET_ACCOUNT, id))
  }

  #record(kind: RecordKind, id: string, field?: string): Record {
    return this.#deps.archive.open(this.#organization.id, recordName(kind, id, field))
  }
}

/** Payloads by record. The archive returns the same object while its version is the latest. */
const payloads = new WeakMap<Record, Message>()

function payloadOf<Schema extends DescMessage>(schema: Schema, record: Record): MessageShape<Schema> {
  const known = payloads.get(record)
  if (known !== undefined) return known as MessageShape<Schema>
  const payload = fromBinary(schema, record.payload)
  payloads.set(record, payload)
  return payload
}
