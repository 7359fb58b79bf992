import { fromBinary } from "@bufbuild/protobuf"
import {
  type Record,
  WalletAccountRecordSchema,
} from "../../../../proto/gen/countersign/state/v1/record_pb.ts"
import { derivePrivateKey } from "../../keys/derive/index.ts"
import { parsePath } from "../../../core/address/path.ts"
import { type Secret, wiping } from "../../../core/crypto/secret.ts"
import { seedOf } from "../../keys/wallet-secret.ts"
import { curveName } from "../../keys/wire.ts"
import type { Activity } from "../../activities/activity.ts"

const needs = ["exportBundle", "vault"] as const

/** Returns the private key of an account, sealed to the key in the request. The wallet does not count as exported. */
export const exportWalletAccount: Activity<"exportWalletAccount", typeof needs> = {
  needs,
  run({ address: named, targetPublicKey }, context) {
    const target = context.exportBundle.to(targetPublicKey)
    const { account, wallet } = context.vault.account(named, "parameters.address")
    const { address, walletId } = fromBinary(WalletAccountRecordSchema, account.payload)
    const exportBundle = target.seal(keyOf(account, context.vault.openSecret(wallet)), { address })
    context.changes.markExported({ walletId, accountId: account.id })
    return { address, exportBundle }
  },
}

/** The account's private key, 32 bytes: the scalar, or the seed of RFC 8032. */
function keyOf(account: Record, walletSecret: Secret): Secret {
  const { curve, path } = fromBinary(WalletAccountRecordSchema, account.payload)
  const seed = seedOf(walletSecret)
  walletSecret.wipe()
  return wiping([seed], () => derivePrivateKey(curveName(curve), seed, parsePath(path, "path")).secret)
}
