import { fromBinary } from "@bufbuild/protobuf"
import type { ActivityEntry } from "../../../../proto/catalog.ts"
import {
  PrivateKeyRecordSchema,
  RecordKind,
  RecordSchema,
  SecretRecordSchema,
  WalletAccountRecordSchema,
  WalletRecordSchema,
} from "../../../../proto/gen/countersign/state/v1/record_pb.ts"
import { canonicalAddress } from "../../../../signer/core/address/canonical.ts"
import { signersOf } from "../../../../signer/core/policy/facts/declared.ts"
import {
  exportedAccountFacts,
  keyFacts,
  namedHoldings,
  privateKeyFacts,
  secretFacts,
  walletFacts,
} from "../../../../signer/core/modules/wallets/holdings.ts"
import type {
  Holdings,
  NamedHoldings,
  PrivateKeyFacts,
  SecretFacts,
  WalletFacts,
} from "../../../../signer/core/policy/facts/holdings.ts"
import { notFound } from "../../errors.ts"
import type { StoredOrganization } from "../../store/stored-organization.ts"
import type { Database } from "../../../database/database.ts"
import { getRecord, getRecordByAddress, type RecordRow } from "../../store/records.ts"
import { isUuidInAnyCase } from "../../store/uuid.ts"

type Parameters = { readonly [name: string]: unknown }

/**
 * Wallets and private keys that an activity uses, from the database. For advice only: the signer reads its own ledger.
 *
 * @throws ApiError 404
 */
export async function holdingsOf(
  activity: Pick<ActivityEntry, "facts">,
  parameters: Parameters,
  organization: StoredOrganization,
  sql: Database,
): Promise<Holdings> {
  return readNamed(namedHoldings(activity, parameters), new HoldingsReader(organization, sql))
}

async function readNamed(named: NamedHoldings, reader: HoldingsReader): Promise<Holdings> {
  switch (named.is) {
    case "signer":
      return reader.signer(named.signWith)
    case "wallet":
      return { wallet: await reader.wallet(named.walletId) }
    case "wallets":
      return { wallets: await Promise.all(named.walletIds.map((id) => reader.wallet(id))) }
    case "exported-account":
      return reader.account(named.address, true)
    case "private-key":
      return { privateKey: await reader.privateKey(named.privateKeyId) }
    case "secrets":
      return { secrets: await Promise.all(named.secretIds.map((id) => reader.secret(id))) }
    case "nothing":
      return {}
    default:
      return named satisfies never
  }
}

/** Holdings of each signer of an activity that names several, by its name. @throws ApiError 404 */
export async function holdingsOfSigners(
  activity: Pick<ActivityEntry, "facts">,
  parameters: Parameters,
  organization: StoredOrganization,
  sql: Database,
): Promise<ReadonlyMap<string, Holdings>> {
  const reader = new HoldingsReader(organization, sql)
  const read = async (signWith: string) => [signWith, await reader.signer(signWith)] as const
  return new Map(await Promise.all(signersOf(activity, parameters).map(read)))
}

/** Reads the records of one organization. */
class HoldingsReader {
  readonly #organization: StoredOrganization
  readonly #sql: Database

  constructor(organization: StoredOrganization, sql: Database) {
    this.#organization = organization
    this.#sql = sql
  }

  async signer(signWith: string): Promise<Holdings> {
    return isUuidInAnyCase(signWith) ? this.#privateKeySigner(signWith) : this.account(signWith, false)
  }

  /** Holdings of an address. `isExported`: for an export of the account. The address of a private key names that key. */
  async account(spelled: string, isExported: boolean): Promise<Holdings> {
    const row = await getRecordByAddress(this.#sql, this.#organization.id, canonicalAddress(spelled))
    if (row?.kind === RecordKind.PRIVATE_KEY) return this.#privateKeySigner(row.id)
    if (row === undefined) throw this.#unknown("wallet account with address", spelled)
    const record = fromBinary(WalletAccountRecordSchema, payloadOf(row))
    const account = isExported ? exportedAccountFacts(record) : { address: record.address }
    return { wallet: await this.wallet(record.walletId), account, key: keyFacts(record) }
  }

  async wallet(id: string): Promise<WalletFacts> {
    const row = await this.#record(RecordKind.WALLET, id, "wallet")
    return walletFacts(row.id, fromBinary(WalletRecordSchema, payloadOf(row)))
  }

  async privateKey(id: string): Promise<PrivateKeyFacts> {
    const row = await this.#record(RecordKind.PRIVATE_KEY, id, "private key")
    const record = fromBinary(PrivateKeyRecordSchema, payloadOf(row))
    return privateKeyFacts(row.id, record, this.#organization.document)
  }

  async secret(id: string): Promise<SecretFacts> {
    const row = await this.#record(RecordKind.SECRET, id, "secret")
    return secretFacts(fromBinary(SecretRecordSchema, payloadOf(row)))
  }

  async #privateKeySigner(id: string): Promise<Holdings> {
    const row = await this.#record(RecordKind.PRIVATE_KEY, id, "private key")
    const key = keyFacts(fromBinary(PrivateKeyRecordSchema, payloadOf(row)))
    return { privateKey: await this.privateKey(id), key }
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
