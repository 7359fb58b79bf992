import { type DescMessage, fromBinary, type Message, type MessageShape } from "@bufbuild/protobuf"
import type { ActivityEntry } from "../../../../proto/catalog.ts"
import {
  PrivateKeyRecordSchema,
  type Record,
  RecordKind,
  WalletAccountRecordSchema,
  WalletRecordSchema,
} from "../../../../proto/gen/countersign/state/v1/record_pb.ts"
import { derivedIndices, HARDENED, parsePath } from "../../../core/address/path.ts"
import { curveName } from "../../keys/wire.ts"
import type { Organization } from "../../../core/organization/organization.ts"
import type { Parameters } from "../../../core/policy/facts/activity.ts"
import type { Holdings, PrivateKeyFacts, WalletFacts } from "../../../core/policy/facts/holdings.ts"
import { namedHoldings } from "../../../core/policy/facts/named-holdings.ts"
import type { ExecutionDeps } from "../state/deps.ts"
import { recordName } from "../state/record-names.ts"
import { accountTargetOf, signTargetOf } from "./targets.ts"

type Deps = Pick<ExecutionDeps, "ledger" | "keyring" | "archive">

/**
 * What an activity uses of wallets and keys, as policies see it. An activity of another kind uses nothing that they
 * see.
 *
 * @throws SIGN_WITH_UNKNOWN, RESOURCE_UNKNOWN, RECORD_DELETED: what running it would be refused with as well
 */
export function holdingsOf(
  activity: Pick<ActivityEntry, "action" | "kind">,
  parameters: Parameters,
  organization: Organization,
  deps: Deps,
): Holdings {
  const shelf = new Shelf(organization, deps)
  const uses = namedHoldings(activity, parameters)
  switch (uses.is) {
    case "signer":
      return shelf.signer(uses.signWith)
    case "wallet":
      return { wallet: shelf.wallet(uses.walletId, "parameters.walletId") }
    case "wallets":
      return {
        wallets: uses.walletIds.map((id, index) => shelf.wallet(id, `parameters.walletIds[${index}]`)),
      }
    case "leaving-account":
      return shelf.leavingAccount(uses.address)
    case "private-key":
      return { privateKey: shelf.privateKey(uses.privateKeyId, "parameters.privateKeyId") }
    case "nothing":
      return {}
    default:
      return uses satisfies never
  }
}

/** Looks up what one organization has. */
class Shelf {
  readonly #organization: Organization
  readonly #deps: Deps

  constructor(organization: Organization, deps: Deps) {
    this.#organization = organization
    this.#deps = deps
  }

  signer(signWith: string): Holdings {
    const target = signTargetOf(this.#organization.id, signWith, this.#deps)
    if ("privateKeyId" in target) return { privateKey: this.privateKey(target.privateKeyId) }
    const { address } = this.#account(target.accountId)
    return { wallet: this.wallet(target.walletId), account: { address } }
  }

  /** An account that is exported shows its path: that of the key that leaves. */
  leavingAccount(named: string): Holdings {
    const field = "parameters.address"
    const target = accountTargetOf(this.#organization.id, named, field, this.#deps)
    const { address, curve, path } = this.#account(target.accountId)
    const indices = derivedIndices(curveName(curve), parsePath(path, "path"))
    const shown = indices.map((index) => ({ index: index % HARDENED, hardened: index >= HARDENED }))
    return { wallet: this.wallet(target.walletId), account: { address, path: shown } }
  }

  wallet(id: string, field?: string): WalletFacts {
    const record = this.#record(RecordKind.WALLET, id, field)
    const { name: label, imported, exported } = payloadOf(WalletRecordSchema, record)
    return { id: record.id, label, imported, exported }
  }

  privateKey(id: string, field?: string): PrivateKeyFacts {
    const record = this.#record(RecordKind.PRIVATE_KEY, id, field)
    const { name: label, imported, exported } = payloadOf(PrivateKeyRecordSchema, record)
    const tags = this.#organization.document.tags
      .filter(({ privateKeyIds }) => privateKeyIds.includes(record.id))
      .map(({ tagId }) => tagId)
    return { id: record.id, label, imported, exported, tags }
  }

  #account(id: string) {
    return payloadOf(WalletAccountRecordSchema, this.#record(RecordKind.WALLET_ACCOUNT, id))
  }

  #record(kind: RecordKind, id: string, field?: string): Record {
    return this.#deps.archive.open(this.#organization.id, recordName(kind, id, field))
  }
}

/** The archive hands out the same record while its version is the latest: it is read once. */
const payloads = new WeakMap<Record, Message>()

function payloadOf<Schema extends DescMessage>(schema: Schema, record: Record): MessageShape<Schema> {
  const known = payloads.get(record)
  if (known !== undefined) return known as MessageShape<Schema>
  const payload = fromBinary(schema, record.payload)
  payloads.set(record, payload)
  return payload
}
