import { fromBinary } from "@bufbuild/protobuf"
import type { ActivityEntry } from "../../../../proto/catalog.ts"
import {
  PrivateKeyRecordSchema,
  RecordKind,
  RecordSchema,
  WalletAccountRecordSchema,
  WalletRecordSchema,
} from "../../../../proto/gen/countersign/state/v1/record_pb.ts"
import { Curve } from "../../../../proto/gen/countersign/api/v1/enums_pb.ts"
import { canonicalAddress } from "../../../../signer/core/address/canonical.ts"
import { derivedIndices, HARDENED, parsePath } from "../../../../signer/core/address/path.ts"
import { type Holdings, usesOf } from "../../../policy-advice/simulate.ts"
import { notFound } from "../../errors.ts"
import type { StoredOrganization } from "../../store/stored-organization.ts"
import type { Database } from "../../store/database.ts"
import { getRecord, getRecordByAddress, type RecordRow } from "../../store/records.ts"
import { isUuid } from "../../store/uuid.ts"

type Parameters = { readonly [name: string]: unknown }

/**
 * Wallets and private keys that an activity uses, from the database. For advice only: the signer reads its own ledger.
 *
 * @throws ApiError 404
 */
export async function holdingsOf(
  activity: Pick<ActivityEntry, "action" | "kind">,
  parameters: Parameters,
  organization: StoredOrganization,
  sql: Database,
): Promise<Holdings> {
  const reader = new HoldingsReader(organization, sql)
  const uses = usesOf(activity, parameters)
  switch (uses.is) {
    case "signer":
      return reader.signer(uses.signWith)
    case "wallet":
      return { wallet: await reader.wallet(uses.walletId) }
    case "wallets":
      return { wallets: await Promise.all(uses.walletIds.map((id) => reader.wallet(id))) }
    case "leaving-account":
      return reader.account(uses.address, true)
    case "private-key":
      return { privateKey: await reader.privateKey(uses.privateKeyId) }
    case "nothing":
      return {}
    default:
      return uses satisfies never
  }
}

/** Reads wallets and private keys of one organization. */
class HoldingsReader {
  readonly #organization: StoredOrganization
  readonly #sql: Database

  constructor(organization: StoredOrganization, sql: Database) {
    this.#organization = organization
    this.#sql = sql
  }

  async signer(signWith: string): Promise<Holdings> {
    return isUuid(signWith) ? { privateKey: await this.privateKey(signWith) } : this.account(signWith, false)
  }

  /** `withPath`: for an export of the account. An address of a private key stands for that key. */
  async account(named: string, withPath: boolean): Promise<Holdings> {
    const row = await getRecordByAddress(this.#sql, this.#organization.id, canonicalAddress(named))
    if (row?.kind === RecordKind.PRIVATE_KEY) return { privateKey: await this.privateKey(row.id) }
    if (row === undefined) throw this.#unknown("wallet account with address", named)
    const { walletId, address, curve, path } = fromBinary(WalletAccountRecordSchema, payloadOf(row))
    const wallet = await this.wallet(walletId)
    if (!withPath) return { wallet, account: { address } }
    const indices = derivedIndices(
      curve === Curve.ED25519 ? "CURVE_ED25519" : "CURVE_SECP256K1",
      parsePath(path, "path"),
    )
    const shown = indices.map((index) => ({ index: index % HARDENED, hardened: index >= HARDENED }))
    return { wallet, account: { address, path: shown } }
  }

  async wallet(id: string) {
    const row = await this.#record(RecordKind.WALLET, id, "wallet")
    const { name: label, imported, exported } = fromBinary(WalletRecordSchema, payloadOf(row))
    return { id: row.id, label, imported, exported }
  }

  async privateKey(id: string) {
    const row = await this.#record(RecordKind.PRIVATE_KEY, id, "private key")
    const { name: label, imported, exported } = fromBinary(PrivateKeyRecordSchema, payloadOf(row))
    const { tags } = this.#organization.document
    const own = tags.filter(({ privateKeyIds }) => privateKeyIds.includes(row.id))
    return { id: row.id, label, imported, exported, tags: own.map(({ tagId }) => tagId) }
  }

  async #record(kind: RecordKind, id: string, what: string): Promise<RecordRow> {
    const row = await getRecord(this.#sql, this.#organization.id, kind, id)
    if (row === undefined) throw this.#unknown(what, id)
    return row
  }

  #unknown(what: string, name: string) {
    return notFound(`unable to find ${what} ${name} in organization ${this.#organization.id}`)
  }
}

function payloadOf({ bytes }: RecordRow): Uint8Array {
  return fromBinary(RecordSchema, bytes).payload
}
