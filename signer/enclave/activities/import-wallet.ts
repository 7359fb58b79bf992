import { wiping } from "../../core/crypto/secret.ts"
import { readWalletText } from "../keys/wallet-text.ts"
import type { Activity } from "./activity.ts"
import { storeWallet } from "./shared/wallets.ts"
import { BUNDLE_FIELD, openImport } from "./shared/import-export.ts"

/** Imports a mnemonic with its passphrase. The words exist in clear only inside this function. */
export const importWallet: Activity<"importWallet"> = {
  run({ walletName: name, encryptedBundle, accounts }, context) {
    const { source, seed, mnemonicLength } = openImport("wallet", encryptedBundle, context, (text) =>
      readWalletText(text, BUNDLE_FIELD),
    )
    const wallet = { name, mnemonicLength, imported: true, source, seed }
    return wiping([source.entropy, source.passphrase, seed], () =>
      storeWallet(wallet, accounts, context, "parameters"),
    )
  },
}
