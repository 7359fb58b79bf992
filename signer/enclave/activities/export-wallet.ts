import { fromBinary, toBinary } from "@bufbuild/protobuf"
import { MnemonicLanguage } from "../../../proto/gen/countersign/api/v1/enums_pb.ts"
import {
  type Record,
  RecordKind,
  WalletRecordSchema,
} from "../../../proto/gen/countersign/state/v1/record_pb.ts"
import type { Secret } from "../../core/crypto/secret.ts"
import { sourceOf } from "../keys/wallet-secret.ts"
import { writeWalletText } from "../keys/wallet-text.ts"
import { refuse } from "../../core/refusal.ts"
import type { Activity, ActivityContext } from "./activity.ts"
import { exportTarget } from "./shared/export-target.ts"

/** Hands out a mnemonic, with its passphrase where it has one, sealed to the key that the request names. */
export const exportWallet: Activity<"exportWalletIntent", "exportWalletResult"> = {
  run({ walletId, targetPublicKey, language }, context) {
    requireEnglish(language ?? MnemonicLanguage.ENGLISH)
    const target = exportTarget(targetPublicKey, context)
    const stored = context.record(RecordKind.WALLET, walletId, "parameters.walletId")
    const exportBundle = target.seal(textOf(context.vault.openSecret(stored)), { walletId: stored.id })
    noteExported(stored, context)
    return { walletId: stored.id, exportBundle }
  },
}

/** Notes for good that the words went outside. */
function noteExported(stored: Record, { changes, nowMs }: ActivityContext): void {
  const wallet = fromBinary(WalletRecordSchema, stored.payload)
  if (wallet.exported) return
  const exported = { ...wallet, exported: true, updatedAtMs: BigInt(nowMs) }
  changes.changeRecord(stored, toBinary(WalletRecordSchema, exported))
}

/**
 * BIP-39 hashes the words: the same entropy in words of another list is another wallet, in which nobody would find
 * his addresses again.
 */
function requireEnglish(language: MnemonicLanguage): void {
  if (language === MnemonicLanguage.ENGLISH) return
  const sentence = "mnemonics are exported in English: words of another list would restore another wallet"
  throw refuse("MNEMONIC_LANGUAGE_NOT_SERVED", sentence, { field: "parameters.language" })
}

function textOf(walletSecret: Secret): Secret {
  const { entropy, passphrase } = sourceOf(walletSecret)
  try {
    return writeWalletText({ entropy, passphrase })
  } finally {
    walletSecret.wipe()
    entropy.wipe()
    passphrase.wipe()
  }
}
