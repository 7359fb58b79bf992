import { fromBinary, toBinary } from "@bufbuild/protobuf"
import { MnemonicLanguage } from "../../../../proto/gen/countersign/api/v1/enums_pb.ts"
import { RecordKind, WalletRecordSchema } from "../../../../proto/gen/countersign/state/v1/record_pb.ts"
import { type Secret, wiping } from "../../../core/crypto/secret.ts"
import { sourceOf } from "../../keys/wallet-secret.ts"
import { writeWalletText } from "../../keys/wallet-text.ts"
import { refuse } from "../../../core/refusal.ts"
import type { Activity } from "../../activities/activity.ts"

const needs = ["exportBundle", "vault"] as const

/** Returns a wallet's mnemonic and passphrase, sealed to the key in the request. */
export const exportWallet: Activity<"exportWallet", typeof needs> = {
  needs,
  run({ walletId, targetPublicKey, language }, context) {
    requireEnglish(language ?? MnemonicLanguage.ENGLISH)
    const target = context.exportBundle.to(targetPublicKey)
    const stored = context.records.open(RecordKind.WALLET, walletId, "parameters.walletId")
    const exportBundle = target.seal(textOf(context.vault.openSecret(stored)), { walletId: stored.id })
    const wallet = fromBinary(WalletRecordSchema, stored.payload)
    if (!wallet.exported) {
      const exported = { ...wallet, exported: true, updatedAtMs: BigInt(context.nowMs) }
      context.changes.changeRecord(stored, toBinary(WalletRecordSchema, exported))
    }
    return { walletId: stored.id, exportBundle }
  },
}

/** BIP-39 hashes the words: the same entropy in words of another list gives another wallet with other addresses. */
function requireEnglish(language: MnemonicLanguage): void {
  if (language === MnemonicLanguage.ENGLISH) return
  const sentence = "mnemonics are exported in English: words of another list would restore another wallet"
  throw refuse("MNEMONIC_LANGUAGE_NOT_SERVED", sentence, { field: "parameters.language" })
}

function textOf(walletSecret: Secret): Secret {
  const source = sourceOf(walletSecret)
  return wiping([walletSecret, source.entropy, source.passphrase], () => writeWalletText(source))
}
