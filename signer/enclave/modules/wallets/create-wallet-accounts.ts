import { RecordKind } from "../../../../proto/gen/countersign/state/v1/record_pb.ts"
import { wipingAfter } from "../../../core/crypto/secret.ts"
import { seedOf } from "../../keys/wallet-secret.ts"
import type { LongActivity } from "../../activities/activity.ts"
import { addAccounts } from "../../activities/new-wallets.ts"

const needs = ["vault"] as const

export const createWalletAccounts: LongActivity<"createWalletAccounts", typeof needs> = {
  needs,
  *run({ walletId, accounts, persist = true }, context) {
    const wallet = context.records.open(RecordKind.WALLET, walletId, "parameters.walletId")
    const secret = context.vault.openSecret(wallet)
    const seed = seedOf(secret)
    secret.wipe()
    const parent = { walletId: wallet.id, seed, persist }
    const added = addAccounts(parent, accounts, context, "parameters.accounts")
    return { addresses: yield* wipingAfter([seed], added) }
  },
}
