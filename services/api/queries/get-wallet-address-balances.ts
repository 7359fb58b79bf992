import {
  type GetWalletAddressBalancesRequest,
  GetWalletAddressBalancesResponseSchema,
} from "../../../proto/gen/countersign/api/v1/queries_pb.ts"
import { canonicalAddress } from "../../../signer/core/address/canonical.ts"
import { wholeUnits } from "../../../signer/core/words/chains.ts"
import { RecordKind } from "../../../proto/gen/countersign/state/v1/record_pb.ts"
import { AddressFormat } from "../../../proto/gen/countersign/api/v1/enums_pb.ts"
import type { ChainAsset } from "../../chains/assets.ts"
import { invalid, notFound } from "../errors.ts"
import { jsonText } from "../resources/json-text.ts"
import { readWalletAccount } from "../resources/wallet.ts"
import { askNode, type Nodes } from "../sending/nodes.ts"
import { getRecordByAddress } from "../store/records.ts"
import type { Query } from "./shared/query.ts"
import { supportedAssets } from "./shared/supported-assets.ts"

/** Balances of a wallet account, of the assets that list_supported_assets has. One whose contract has no balance is left out. */
export const getWalletAddressBalances: Query<GetWalletAddressBalancesRequest> = async (request, context) => {
  const { address: given, caip2 } = request
  const { sql, organization, nodes } = context
  nodes.require(caip2)
  const row = await getRecordByAddress(sql, organization.id, canonicalAddress(given))
  if (row === undefined || row.kind !== RecordKind.WALLET_ACCOUNT)
    throw notFound(`Could not find wallet account with address: ${given}`)
  const { address, addressFormat } = readWalletAccount(row)
  const isSolana = caip2.startsWith("solana:")
  if (addressFormat !== (isSolana ? AddressFormat.SOLANA : AddressFormat.ETHEREUM))
    throw invalid(`address ${given} is none of ${caip2}; name an account of that chain`, "address")
  const assets = supportedAssets(organization, caip2, nodes)
  const balances = await askNode(caip2, async () =>
    Promise.all(assets.map(async (asset) => shown(asset, await balanceOf(asset, address, caip2, nodes)))),
  )
  return jsonText(GetWalletAddressBalancesResponseSchema, { balances: balances.flat() })
}

function balanceOf(
  { token }: ChainAsset,
  address: string,
  caip2: string,
  nodes: Nodes,
): Promise<bigint | undefined> {
  if (caip2.startsWith("solana:")) {
    const node = nodes.solana(caip2)
    return token === "" ? node.balance(address) : node.tokenBalance(address, token)
  }
  const node = nodes.ethereum(caip2)
  return token === "" ? node.balance(address) : node.tokenBalance(address, token)
}

function shown({ caip19, decimals, symbol }: ChainAsset, balance: bigint | undefined) {
  if (balance === undefined) return []
  const display = { crypto: wholeUnits(balance, decimals) }
  return [{ caip19, decimals, balance: String(balance), display, ...(symbol !== "" && { symbol }) }]
}
