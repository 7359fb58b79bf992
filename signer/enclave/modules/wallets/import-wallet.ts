import { wipingAfter } from "../../../core/crypto/secret.ts"
import { readWalletText } from "../../keys/wallet-text.ts"
import type { LongActivity } from "../../activities/activity.ts"
import { storeWallet } from "../../activities/new-wallets.ts"
import { BUNDLE_FIELD, openImport } from "./import-export.ts"

const needs = ["importKey"] as const

/** Imports a mnemonic with its passphrase. The words exist in clear only inside this function. */
export const importWallet: LongActivity<"importWallet", typeof needs> = {
  needs,
  *run({ walletName: name, encryptedBundle, accounts }, context) {
    const { source, seed, mnemonicLength } = openImport("wallet", encryptedBundle, context, (text) =>
      readWalletText(text, BUNDLE_FIELD),
    )
    const wallet = { name, mnemonicLength, imported: true, source, seed }
    const stored = storeWallet(wallet, accounts, context, "parameters")
    return yield* wipingAfter([source.entropy, source.passphrase, seed], stored)
  },
}
