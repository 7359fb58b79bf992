import { create, fromBinary, toBinary } from "@bufbuild/protobuf"
import {
  type GetWalletAccountRequest,
  GetWalletAccountResponseSchema,
} from "../../../proto/gen/countersign/api/v1/queries_pb.ts"
import {
  RecordKind,
  RecordSchema,
  type WalletAccountRecord,
  WalletAccountRecordSchema,
} from "../../../proto/gen/countersign/state/v1/record_pb.ts"
import { canonicalAddress } from "../../../signer/core/address/canonical.ts"
import { invalid, notFound } from "../errors.ts"
import { jsonText } from "../resources/json-text.ts"
import { walletAccountResource } from "../resources/resources.ts"
import type { Database } from "../store/database.ts"
import { findRecords, getRecordByAddress, type RecordRow } from "../store/records.ts"
import type { Query } from "./shared/query.ts"
import { requireWallet } from "../resources/wallets.ts"

type Wanted = { organizationId: string; walletId: string; address?: string; path?: string }

/** The account of a wallet by its address, its path, or both. Where several lie on one path, the oldest. */
export const getWalletAccount: Query<GetWalletAccountRequest> = async (request, { sql, organization }) => {
  const { walletId, address, path } = request
  if (address === undefined && path === undefined) {
    throw invalid("address or path must be there, to say which account is meant", "address")
  }
  const organizationId = organization.id
  await requireWallet(sql, organizationId, walletId)
  const found = await find(sql, {
    organizationId,
    walletId: walletId.toLowerCase(),
    ...(address === undefined ? {} : { address }),
    ...(path === undefined ? {} : { path }),
  })
  if (found === undefined) {
    const names = [address && `address: ${address}`, path && `path: ${path}`].filter(Boolean)
    throw notFound(`Could not find wallet account with ${names.join(", ")}`)
  }
  return jsonText(GetWalletAccountResponseSchema, {
    account: walletAccountResource(found.row, found.account),
  })
}

async function find(sql: Database, wanted: Wanted) {
  const rows = await candidates(sql, wanted)
  return rows
    .map((row) => ({ row, account: accountOf(row) }))
    .find(({ account }) => isWanted(account, wanted))
}

async function candidates(
  sql: Database,
  { organizationId, walletId, address, path = "" }: Wanted,
): Promise<RecordRow[]> {
  if (address !== undefined) {
    const row = await getRecordByAddress(sql, organizationId, canonicalAddress(address))
    return row === undefined ? [] : [row]
  }
  // A serialized record that has this path holds the path's own serialization.
  const member = toBinary(WalletAccountRecordSchema, create(WalletAccountRecordSchema, { path }))
  return findRecords(sql, { organizationId, kind: RecordKind.WALLET_ACCOUNT, parentId: walletId }, member)
}

function isWanted({ walletId, path }: WalletAccountRecord, wanted: Wanted): boolean {
  return walletId === wanted.walletId && (wanted.path === undefined || path === wanted.path)
}

function accountOf({ bytes }: RecordRow): WalletAccountRecord {
  return fromBinary(WalletAccountRecordSchema, fromBinary(RecordSchema, bytes).payload)
}
