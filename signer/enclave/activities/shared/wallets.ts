import { create, toBinary } from "@bufbuild/protobuf"
import type { WalletAccountParams, WalletParams } from "../../../../proto/gen/countersign/api/v1/params_pb.ts"
import { RecordKind, WalletRecordSchema } from "../../../../proto/gen/countersign/state/v1/record_pb.ts"
import type { Secret } from "../../../core/crypto/secret.ts"
import { createMnemonic, DEFAULT_MNEMONIC_LENGTH } from "../../keys/mnemonic.ts"
import { packWalletSecret, type WalletSource } from "../../keys/wallet-secret.ts"
import type { ActivityContext } from "../activity.ts"
import { addAccounts } from "./wallet-accounts.ts"

/** A wallet as create_wallet and create_sub_organization describe it. */
type WalletParameters = Pick<WalletParams, "walletName" | "accounts" | "mnemonicLength">

type CreatedWallet = { walletId: string; addresses: string[] }

/** Creates a wallet of new words with its first accounts. The words exist in clear only inside this function. */
export function createWallet(
  { walletName: name, accounts, mnemonicLength = DEFAULT_MNEMONIC_LENGTH }: WalletParameters,
  context: ActivityContext,
  field: string,
): CreatedWallet {
  const { entropy, seed } = createMnemonic(mnemonicLength, context.random)
  try {
    const wallet = { name, mnemonicLength, imported: false, source: { entropy }, seed }
    return storeWallet(wallet, accounts, context, field)
  } finally {
    entropy.wipe()
    seed.wipe()
  }
}

/** `mnemonicLength` in words. The caller wipes source and seed. */
export type NewWallet = {
  name: string
  mnemonicLength: number
  imported: boolean
  source: WalletSource
  seed: Secret
}

/** Stores a generated or imported wallet with its first accounts. */
export function storeWallet(
  { name, mnemonicLength, imported, source, seed }: NewWallet,
  accounts: readonly WalletAccountParams[],
  context: ActivityContext,
  field: string,
): CreatedWallet {
  context.changes.takeName("wallet", name, `${field}.walletName`)
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
  return { walletId, addresses: addAccounts({ walletId, seed }, accounts, context, `${field}.accounts`) }
}
