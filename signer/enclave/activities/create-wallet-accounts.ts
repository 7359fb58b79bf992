import { create, toBinary } from "@bufbuild/protobuf"
import type { WalletAccountParams } from "../../../proto/gen/countersign/api/v1/params_pb.ts"
import { RecordKind, WalletAccountRecordSchema } from "../../../proto/gen/countersign/state/v1/record_pb.ts"
import { addressOf, requireAddressFormat } from "../keys/address/index.ts"
import { deriveKey } from "../keys/derive/index.ts"
import { type Path, parsePath } from "../../core/address/path.ts"
import type { Secret } from "../../core/crypto/secret.ts"
import { seedOf } from "../keys/wallet-secret.ts"
import { addressFormatName, curveName } from "../keys/wire.ts"
import { refuse } from "../../core/refusal.ts"
import type { Activity, ActivityContext } from "./activity.ts"

/** Levels that all paths of one request may have together: the signer does nothing else while it derives. */
const MAX_LEVELS = 10_000

export const createWalletAccounts: Activity<"createWalletAccountsIntent", "createWalletAccountsResult"> = {
  run({ walletId, accounts, persist }, context) {
    const wallet = context.record(RecordKind.WALLET, walletId, "parameters.walletId")
    const secret = context.vault.openSecret(wallet)
    const seed = seedOf(secret)
    secret.wipe()
    try {
      return {
        addresses: addAccounts(wallet.id, seed, accounts, persist ?? true, context, "parameters.accounts"),
      }
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
  field: string,
): string[] {
  const paths = readPaths(accounts, field)
  return accounts.map((account, index) => {
    const at = `${field}[${index}]`
    const path = paths[index]!
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

/** Reads all paths before the first key is derived. */
function readPaths(accounts: readonly WalletAccountParams[], field: string): Path[] {
  const paths = accounts.map(({ path }, index) => parsePath(path, `${field}[${index}].path`))
  const levels = paths.reduce((sum, { indices }) => sum + indices.length, 0)
  if (levels <= MAX_LEVELS) return paths
  throw refuse(
    "LIMIT_EXCEEDED",
    `the paths of all accounts have ${levels} levels, at most ${MAX_LEVELS} fit`,
    { field },
  )
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
  context.changes.takeAddress(derived.address, { accountId: id, walletId, addressFormat }, `${at}.path`)
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
