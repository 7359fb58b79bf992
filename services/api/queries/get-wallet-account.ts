import { create, toBinary } from "@bufbuild/protobuf"
import {
  type GetWalletAccountRequest,
  GetWalletAccountResponseSchema,
} from "../../../proto/gen/countersign/api/v1/queries_pb.ts"
import { RecordKind, WalletAccountRecordSchema } from "../../../proto/gen/countersign/state/v1/record_pb.ts"
import { canonicalAddress } from "../../../signer/core/address/canonical.ts"
import { invalid, notFound } from "../errors.ts"
import { jsonText } from "../resources/json-text.ts"
import { readWalletAccount, requireWallet, walletAccountResource } from "../resources/wallet.ts"
import { findRecords, getRecordByAddress } from "../store/records.ts"
import type { Query, QueryContext } from "./shared/query.ts"

type Filter = { address?: string | undefined; path?: string | undefined }

/** The account of a wallet with an address, a path, or both. Several accounts on one path: the oldest. */
export const getWalletAccount: Query<GetWalletAccountRequest> = async (request, context) => {
  const { address, path } = request
  if (address === undefined && path === undefined) {
    throw invalid("address or path is required", "address")
  }
  await requireWallet(context.sql, context.organization.id, request.walletId)
  const walletId = request.walletId.toLowerCase()
  const rows = await candidates(walletId, { address, path }, context)
  const found = rows.find((row) => {
    const account = readWalletAccount(row)
    return account.walletId === walletId && (path === undefined || account.path === path)
  })
  if (found === undefined) {
    const names = [address && `address: ${address}`, path && `path: ${path}`].filter(Boolean)
    throw notFound(`Could not find wallet account with ${names.join(", ")}`)
  }
  return jsonText(GetWalletAccountResponseSchema, { account: walletAccountResource(found) })
}

async function candidates(
  walletId: string,
  { address, path = "" }: Filter,
  { sql, organization }: QueryContext,
) {
  if (address !== undefined) {
    const row = await getRecordByAddress(sql, organization.id, canonicalAddress(address))
    return row === undefined ? [] : [row]
  }
  // A serialized record with this path contains the serialized field.
  const field = toBinary(WalletAccountRecordSchema, create(WalletAccountRecordSchema, { path }))
  const filter = { organizationId: organization.id, kind: RecordKind.WALLET_ACCOUNT, parentId: walletId }
  return findRecords(sql, filter, field)
}
