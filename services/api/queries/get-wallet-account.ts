import {
  type GetWalletAccountRequest,
  GetWalletAccountResponseSchema,
} from "../../../proto/gen/countersign/api/v1/queries_pb.ts"
import { canonicalAddress } from "../../../signer/core/address/canonical.ts"
import { invalid, notFound } from "../errors.ts"
import { jsonText } from "../resources/json-text.ts"
import { readWalletAccount, requireWallet, walletAccountResource } from "../resources/wallet.ts"
import { getAccountByPath, getRecordByAddress } from "../store/records.ts"
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
  const row = await candidate(walletId, { address, path }, context)
  const account = row && readWalletAccount(row)
  const isMeant = account?.walletId === walletId && (path === undefined || account.path === path)
  if (row === undefined || !isMeant) {
    const names = [address && `address: ${address}`, path && `path: ${path}`].filter(Boolean)
    throw notFound(`Could not find wallet account with ${names.join(", ")}`)
  }
  return jsonText(GetWalletAccountResponseSchema, { account: walletAccountResource(row) })
}

async function candidate(
  walletId: string,
  { address, path = "" }: Filter,
  { sql, organization }: QueryContext,
) {
  if (address === undefined) return getAccountByPath(sql, organization.id, walletId, path)
  return getRecordByAddress(sql, organization.id, canonicalAddress(address))
}
