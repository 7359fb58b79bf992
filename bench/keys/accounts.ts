import { fromBinary } from "@bufbuild/protobuf"
import {
  RecordKind,
  RecordSchema,
  WalletAccountRecordSchema,
} from "../../proto/gen/countersign/state/v1/record_pb.ts"
import type { OwnSigner } from "./own-signer.ts"

/** Parameters of an account; curve and format without their prefixes. */
export function account(curve: string, addressFormat: string, path: string) {
  return {
    curve: `CURVE_${curve}`,
    addressFormat: `ADDRESS_FORMAT_${addressFormat}`,
    pathFormat: "PATH_FORMAT_BIP32",
    path,
  }
}

/** A wallet with accounts, in the order asked for. */
export type Made = {
  walletId: string
  accounts: { id: string; address: string }[]
}

let wallets = 0

export async function makeWallet(own: OwnSigner, accounts: readonly object[]): Promise<Made> {
  const walletName = `wallet ${++wallets}`
  const outcome = await own.submit("CREATE_WALLET", { walletName, accounts })
  const records = outcome.records.map((bytes) => fromBinary(RecordSchema, bytes))
  const result = outcome.result?.result
  if (result?.case !== "createWalletResult") throw new Error("no wallet was made")
  return {
    walletId: result.value.walletId,
    accounts: records
      .filter(({ kind }) => kind === RecordKind.WALLET_ACCOUNT)
      .map(({ id, payload }) => ({ id, address: fromBinary(WalletAccountRecordSchema, payload).address })),
  }
}
