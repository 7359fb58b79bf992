import { counted } from "../../../signer/core/counted.ts"
import { resultOf, submitChange } from "../../terminal-client/changes/change.ts"
import type { Stamping } from "../../terminal-client/changes/stamping.ts"
import { CliError, ExitCode, usage } from "../../terminal-client/exit.ts"
import { listAll } from "../../terminal-client/list-all.ts"
import { Directory } from "../../terminal-client/names/resolve.ts"
import { copySecret, type Movable, type Move, type Moved } from "./move.ts"

type Wallet = { walletId: string; walletName: string }
type Account = {
  curve: string
  pathFormat: string
  path: string
  addressFormat: string
  address: string
  name?: string
}

/** Accounts of one activity. */
const PIECE = 50

export const wallets: Movable = {
  kind: "wallet",
  noun: "wallet",
  plural: "wallets",
  nameOf: (item) => (item as Wallet).walletName,
  countOf: (count) => counted(count, "account"),
  move: (item, context) => moveWallet(item as Wallet, context),
  jsonOf: ({ name: walletName, outcome, id: walletId, count: accounts, reason }) => ({
    walletName,
    outcome,
    walletId,
    accounts,
    reason,
  }),
}

async function moveWallet({ walletId, walletName }: Wallet, context: Move): Promise<Omit<Moved, "name">> {
  const { options, source, target } = context
  const accounts = await accountsOf(walletId, source)
  const count = accounts.length
  const before = await sameWallet(walletName, accounts, target)
  if (before !== undefined && before.missing.length === 0)
    return { outcome: "moved before", id: before.walletId, count }
  if (options.dryRun) return { outcome: "would be moved", count }
  const id = before?.walletId ?? (await copy({ walletId, walletName }, accounts, context))
  if (count === 0) return { outcome: "moved", id, count }
  const { missing = accounts } = (await sameWallet(walletName, accounts, target)) ?? {}
  for (let start = 0; start < missing.length; start += PIECE)
    await derive(id, missing.slice(start, start + PIECE), target)
  const after = await sameWallet(walletName, accounts, target)
  if (after === undefined || after.missing.length > 0)
    throw new CliError(
      ExitCode.verificationFailed,
      `the other deployment lacks addresses of ${walletName}: do not send to it, and delete nothing here`,
    )
  return { outcome: "moved", id, count }
}

/** Exports and imports the mnemonic with the first accounts, and returns the new wallet's id. */
async function copy(
  { walletId, walletName }: Wallet,
  accounts: readonly Account[],
  context: Move,
): Promise<string> {
  const parameters = { walletName, accounts: accounts.slice(0, PIECE).map(parametersOf) }
  const made = await copySecret({ type: "WALLET", identity: { walletId } }, parameters, context)
  return String(made["walletId"])
}

async function derive(walletId: string, accounts: readonly Account[], target: Stamping): Promise<void> {
  const parameters = { walletId, accounts: accounts.map(parametersOf) }
  const submitted = await submitChange(
    { type: "ACTIVITY_TYPE_CREATE_WALLET_ACCOUNTS", parameters },
    {},
    target,
  )
  if (submitted !== undefined) resultOf(submitted.activity)
}

/**
 * The target's wallet of this name and the accounts that it lacks; undefined: there is none. The same wallet has an account of
 * the source: an import derives its first accounts with the mnemonic.
 *
 * @throws {CliError} usage: a wallet of this name has other keys, or no account shows that they are the same
 */
async function sameWallet(walletName: string, accounts: readonly Account[], target: Stamping) {
  const all = (await new Directory(target).list("wallet")) as unknown as readonly Wallet[]
  const same = all.find((wallet) => wallet.walletName === walletName)
  if (same === undefined) return undefined
  const addresses = new Set((await accountsOf(same.walletId, target)).map(keyOf))
  const missing = accounts.filter((account) => !addresses.has(keyOf(account)))
  if (missing.length < accounts.length) return { walletId: same.walletId, missing }
  if (addresses.size > 0 && accounts.length > 0)
    throw usage(`the other deployment has another wallet ${walletName}: rename one of them`)
  throw usage(
    `the other deployment has a wallet ${walletName}, and no account shows that its keys are the same: create the same account in ` +
      "both, or rename one of them",
  )
}

async function accountsOf(walletId: string, querying: Stamping): Promise<readonly Account[]> {
  return (await listAll(querying, "list_wallet_accounts", "accounts", { walletId })) as readonly Account[]
}

/** An account is the same where path and address are: a path alone says nothing about the key. */
function keyOf({ addressFormat, path, address }: Account): string {
  return `${addressFormat} ${path} ${address}`
}

function parametersOf({ curve, pathFormat, path, addressFormat, name }: Account): object {
  return { curve, pathFormat, path, addressFormat, ...(name !== undefined && name !== "" && { name }) }
}
