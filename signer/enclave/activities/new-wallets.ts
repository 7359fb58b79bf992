import { create, toBinary } from "@bufbuild/protobuf"
import type { WalletAccountParams, WalletParams } from "../../../proto/gen/countersign/api/v1/params_pb.ts"
import {
  RecordKind,
  WalletAccountRecordSchema,
  WalletRecordSchema,
} from "../../../proto/gen/countersign/state/v1/record_pb.ts"
import { parsePath, type Path } from "../../core/address/path.ts"
import { type Secret, wiping, wipingAfter } from "../../core/crypto/secret.ts"
import { refuse } from "../../core/refusal.ts"
import type { Steps } from "../../core/turns/steps.ts"
import { addressOf, requireAddressFormat } from "../keys/address/index.ts"
import { SeedKeys } from "../keys/derive/index.ts"
import { createMnemonic, DEFAULT_MNEMONIC_LENGTH } from "../keys/mnemonic.ts"
import { packWalletSecret, type WalletSource } from "../keys/wallet-secret.ts"
import { addressFormatName, curveName } from "../keys/wire.ts"
import type { ActivityContext } from "./activity.ts"

/** A wallet as create_wallet and create_sub_organization describe it. */
type WalletParameters = Pick<WalletParams, "walletName" | "accounts" | "mnemonicLength">

type CreatedWallet = { walletId: string; addresses: string[] }

/** Creates a wallet of new words with its first accounts. The words exist in clear only inside this function. */
export function* createWallet(
  parameters: WalletParameters,
  context: ActivityContext<["random"]>,
  field: string,
): Steps<CreatedWallet> {
  const { walletName: name, accounts, mnemonicLength = DEFAULT_MNEMONIC_LENGTH } = parameters
  const { entropy, seed } = createMnemonic(mnemonicLength, context.random, `${field}.mnemonicLength`)
  const wallet = { name, mnemonicLength, imported: false, source: { entropy }, seed }
  return yield* wipingAfter([entropy, seed], storeWallet(wallet, accounts, context, field))
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
export function* storeWallet(
  { name, mnemonicLength, imported, source, seed }: NewWallet,
  accounts: readonly WalletAccountParams[],
  context: ActivityContext,
  field: string,
): Steps<CreatedWallet> {
  context.changes.takeName("wallet", name, `${field}.walletName`)
  const walletId = context.newId()
  const nowMs = BigInt(context.nowMs)
  const times = { createdAtMs: nowMs, updatedAtMs: nowMs }
  const record = create(WalletRecordSchema, { name, mnemonicLength, imported, ...times })
  const payload = toBinary(WalletRecordSchema, record)
  const secret = packWalletSecret(source, seed)
  wiping([secret], () =>
    context.changes.addRecord({ kind: RecordKind.WALLET, id: walletId, payload, secret }),
  )
  const addresses = yield* addAccounts({ walletId, seed }, accounts, context, `${field}.accounts`)
  return { walletId, addresses }
}

/** Levels of all paths of one request together. */
const MAX_LEVELS = 10_000

/** Derives accounts and returns their addresses in order. Without `persist` the accounts are not stored. */
export function* addAccounts(
  { walletId, seed, persist = true }: { walletId: string; seed: Secret; persist?: boolean },
  accounts: readonly WalletAccountParams[],
  context: ActivityContext,
  field: string,
): Steps<string[]> {
  const paths = readPaths(accounts, field)
  const keys = new SeedKeys(seed)
  const addresses: string[] = []
  try {
    for (const [index, account] of accounts.entries()) {
      const at = `${field}[${index}]`
      const { address, publicKey } = deriveAccount(keys, account, paths[index]!, at)
      if (persist) {
        yield* context.changes.prepare({ addresses: [address] })
        storeAccount(walletId, account, { address, publicKey }, at, context)
      }
      addresses.push(address)
      yield
    }
    return addresses
  } finally {
    keys.wipe()
  }
}

function deriveAccount(keys: SeedKeys, account: WalletAccountParams, path: Path, at: string) {
  const curve = curveName(account.curve, `${at}.curve`)
  const format = addressFormatName(account.addressFormat)
  requireAddressFormat(format, curve, `${at}.addressFormat`)
  const key = keys.derive(curve, path)
  return wiping([key], () => {
    const address = addressOf(format, key, `${at}.addressFormat`)
    return { address, publicKey: key.publicKeyHex }
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
