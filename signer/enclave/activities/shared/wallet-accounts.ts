import { create, toBinary } from "@bufbuild/protobuf"
import type { WalletAccountParams } from "../../../../proto/gen/countersign/api/v1/params_pb.ts"
import {
  RecordKind,
  WalletAccountRecordSchema,
} from "../../../../proto/gen/countersign/state/v1/record_pb.ts"
import { addressOf, requireAddressFormat } from "../../keys/address/index.ts"
import { deriveKey } from "../../keys/derive/index.ts"
import { type Path, parsePath } from "../../../core/address/path.ts"
import type { Secret } from "../../../core/crypto/secret.ts"
import { addressFormatName, curveName } from "../../keys/wire.ts"
import { refuse } from "../../../core/refusal.ts"
import type { ActivityContext } from "../activity.ts"

/** Levels of all paths of one request together: the signer serves nobody else while it derives. */
const MAX_LEVELS = 10_000

/** Derives accounts and returns their addresses in order. Without `persist` the accounts are not stored. */
export function addAccounts(
  { walletId, seed, persist = true }: { walletId: string; seed: Secret; persist?: boolean },
  accounts: readonly WalletAccountParams[],
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
  const sentence = `the paths of all accounts have ${levels} levels; a request has at most ${MAX_LEVELS}`
  throw refuse("LIMIT_EXCEEDED", sentence, { field })
}

function storeAccount(
  walletId: string,
  parameters: WalletAccountParams,
  derived: { address: string; publicKey: string },
  at: string,
  context: ActivityContext,
): void {
  const { curve, pathFormat, path, addressFormat, name = "" } = parameters
  const id = context.newId()
  context.changes.takeAddress(derived.address, { accountId: id, walletId, addressFormat }, `${at}.path`)
  const nowMs = BigInt(context.nowMs)
  const account = { walletId, curve, pathFormat, path, addressFormat, name, ...derived }
  const record = create(WalletAccountRecordSchema, { ...account, createdAtMs: nowMs, updatedAtMs: nowMs })
  const payload = toBinary(WalletAccountRecordSchema, record)
  context.changes.addRecord({ kind: RecordKind.WALLET_ACCOUNT, id, payload })
}
