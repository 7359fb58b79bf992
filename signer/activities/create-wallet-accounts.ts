import { create, toBinary } from "@bufbuild/protobuf"
import type { WalletAccountParams } from "../../proto/gen/countersign/api/v1/params_pb.ts"
import { RecordKind, WalletAccountRecordSchema } from "../../proto/gen/countersign/state/v1/record_pb.ts"
import { addressOf, requireAddressFormat } from "../keys/address/index.ts"
import { deriveKey } from "../keys/derive/index.ts"
import { parsePath } from "../keys/path.ts"
import type { Secret } from "../keys/secret.ts"
import { seedOf } from "../keys/wallet-secret.ts"
import { addressFormatName, curveName } from "../keys/wire.ts"
import type { Activity, ActivityContext } from "./activity.ts"

export const createWalletAccounts: Activity<"createWalletAccountsIntent", "createWalletAccountsResult"> = {
  run({ walletId, accounts, persist }, context) {
    const secret = context.vault.openSecret(context.record(RecordKind.WALLET, walletId))
    const seed = seedOf(secret)
    secret.wipe()
    try {
      return { addresses: addAccounts(walletId, seed, accounts, persist ?? true, context) }
    } finally {
      seed.wipe()
    }
  },
}

/** Derives accounts in order; without `persist` the addresses are only computed. */
export function addAccounts(
  walletId: string,
  seed: Secret,
  accounts: readonly WalletAccountParams[],
  persist: boolean,
  context: ActivityContext,
): string[] {
  return accounts.map((account, index) => {
    const at = `parameters.accounts[${index}]`
    const path = parsePath(account.path, `${at}.path`)
    const curve = curveName(account.curve, `${at}.curve`)
    const format = addressFormatName(account.addressFormat)
    requireAddressFormat(format, curve, `${at}.addressFormat`)
    const key = deriveKey(curve, seed, path)
    try {
      const address = addressOf(format, key, `${at}.addressFormat`)
      if (persist) storeAccount(walletId, account, { address, publicKey: key.publicKeyHex }, at, context)
      return address
    } finally {
      key.wipe()
    }
  })
}

function storeAccount(
  walletId: string,
  parameters: WalletAccountParams,
  derived: { address: string; publicKey: string },
  at: string,
  context: ActivityContext,
): void {
  const { curve, pathFormat, path, addressFormat, name } = parameters
  const id = context.newId()
  context.changes.takeAddress(derived.address, id, walletId, `${at}.path`)
  const nowMs = BigInt(context.nowMs)
  const record = create(WalletAccountRecordSchema, {
    walletId,
    curve,
    pathFormat,
    path,
    addressFormat,
    name: name ?? "",
    ...derived,
    createdAtMs: nowMs,
    updatedAtMs: nowMs,
  })
  const payload = toBinary(WalletAccountRecordSchema, record)
  context.changes.addRecord({ kind: RecordKind.WALLET_ACCOUNT, id, payload })
}
