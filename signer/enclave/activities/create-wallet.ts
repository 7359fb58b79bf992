import { create, toBinary } from "@bufbuild/protobuf"
import type { WalletAccountParams } from "../../../proto/gen/countersign/api/v1/params_pb.ts"
import { RecordKind, WalletRecordSchema } from "../../../proto/gen/countersign/state/v1/record_pb.ts"
import { createMnemonic, DEFAULT_MNEMONIC_LENGTH } from "../keys/mnemonic.ts"
import type { Secret } from "../../core/crypto/secret.ts"
import { packWalletSecret, type WalletSource } from "../keys/wallet-secret.ts"
import type { Activity, ActivityContext } from "./activity.ts"
import { addAccounts } from "./create-wallet-accounts.ts"

export const createWallet: Activity<"createWalletIntent", "createWalletResult"> = {
  run({ walletName, accounts, mnemonicLength }, context) {
    return bearWallet(walletName, accounts, mnemonicLength ?? DEFAULT_MNEMONIC_LENGTH, context, "parameters")
  },
}

/** A new wallet with its first accounts. The words exist in clear only inside this function. */
export function bearWallet(
  name: string,
  accounts: readonly WalletAccountParams[],
  mnemonicLength: number,
  context: ActivityContext,
  at: string,
): { walletId: string; addresses: string[] } {
  const { entropy, seed } = createMnemonic(mnemonicLength, context.random)
  try {
    const born = { name, mnemonicLength, imported: false, source: { entropy }, seed }
    return storeWallet(born, accounts, context, at)
  } finally {
    entropy.wipe()
    seed.wipe()
  }
}

/** `mnemonicLength` in words; whoever made the secrets wipes them. */
export type NewWallet = {
  name: string
  mnemonicLength: number
  imported: boolean
  source: WalletSource
  seed: Secret
}

/** Keeps a wallet, wherever its words came from, with its first accounts. */
export function storeWallet(
  { name, mnemonicLength, imported, source, seed }: NewWallet,
  accounts: readonly WalletAccountParams[],
  context: ActivityContext,
  at: string,
): { walletId: string; addresses: string[] } {
  context.changes.takeName("wallet", name, `${at}.walletName`)
  const walletId = context.newId()
  const nowMs = BigInt(context.nowMs)
  const times = { createdAtMs: nowMs, updatedAtMs: nowMs }
  const record = create(WalletRecordSchema, { name, mnemonicLength, imported, ...times })
  const secret = packWalletSecret(source, seed)
  try {
    const payload = toBinary(WalletRecordSchema, record)
    context.changes.addRecord({ kind: RecordKind.WALLET, id: walletId, payload, secret })
  } finally {
    secret.wipe()
  }
  return { walletId, addresses: addAccounts(walletId, seed, accounts, true, context, `${at}.accounts`) }
}
