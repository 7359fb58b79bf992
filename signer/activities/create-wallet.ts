import { create, toBinary } from "@bufbuild/protobuf"
import type { WalletAccountParams } from "../../proto/gen/countersign/api/v1/params_pb.ts"
import { RecordKind, WalletRecordSchema } from "../../proto/gen/countersign/state/v1/record_pb.ts"
import { createMnemonic, DEFAULT_MNEMONIC_LENGTH } from "../keys/mnemonic.ts"
import { packWalletSecret } from "../keys/wallet-secret.ts"
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
    context.changes.takeName("wallet", name, `${at}.walletName`)
    const walletId = context.newId()
    const nowMs = BigInt(context.nowMs)
    const payload = toBinary(
      WalletRecordSchema,
      create(WalletRecordSchema, { name, mnemonicLength, createdAtMs: nowMs, updatedAtMs: nowMs }),
    )
    const secret = packWalletSecret(entropy, seed)
    try {
      context.changes.addRecord({ kind: RecordKind.WALLET, id: walletId, payload, secret })
    } finally {
      secret.wipe()
    }
    return { walletId, addresses: addAccounts(walletId, seed, accounts, true, context, `${at}.accounts`) }
  } finally {
    entropy.wipe()
    seed.wipe()
  }
}
