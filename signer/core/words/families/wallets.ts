// Words of wallets and private keys.
import type { Told } from "../told.ts"
import type { FamilyWriters } from "../writer.ts"

type Named = { readonly name?: string | undefined; readonly path: string; readonly addressFormat: unknown }
type WithAccounts = { readonly accounts: readonly Named[] }

export const wallets = {
  createWalletIntent: (told) => `Create wallet ${told.say("walletName")} with ${accounts(told)}`,
  updateWalletIntent: (told) =>
    `Name wallet ${told.say("walletId")} ${told.ifSet("walletName", (name) => name)}`.trimEnd(),
  createWalletAccountsIntent: (told) =>
    `${told.raw.persist === false ? "Show, without keeping them," : "Derive"} ${accounts(told)} of wallet ${told.say("walletId")}`,
  deleteWalletAccountsIntent: (told) => `Delete wallet accounts ${told.say("walletAccountIds")}${lost(told)}`,
  deleteWalletsIntent: (told) => `Delete wallets ${told.say("walletIds")}${lost(told)}`,
  initImportWalletIntent: (told) => `Prepare the import of a wallet for user ${told.say("userId")}`,
  importWalletIntent: (told) =>
    `Import wallet ${told.say("walletName")} with ${accounts(told)} for user ${told.say("userId")}`,
  exportWalletIntent: (told) =>
    `Export the mnemonic of wallet ${told.say("walletId")} to the key ${told.say("targetPublicKey")}`,
  exportWalletAccountIntent: (told) =>
    `Export the private key of account ${told.say("address")} to the key ${told.say("targetPublicKey")}`,
  createPrivateKeysIntent: privateKeys,
  createPrivateKeysIntentV2: privateKeys,
  deletePrivateKeysIntent: (told) => `Delete private keys ${told.say("privateKeyIds")}${lost(told)}`,
  createPrivateKeyTagIntent: (told) =>
    `Create private key tag ${told.say("privateKeyTagName")} for private keys ${told.say("privateKeyIds")}`,
  updatePrivateKeyTagIntent: (told) =>
    `Change private key tag ${told.say("privateKeyTagId")}: name ${told.ifSet("newPrivateKeyTagName", (name) => name) || "unchanged"}, add ${told.say("addPrivateKeyIds")}, remove ${told.say("removePrivateKeyIds")}`,
  deletePrivateKeyTagsIntent: (told) => `Delete private key tags ${told.say("privateKeyTagIds")}`,
  initImportPrivateKeyIntent: (told) => `Prepare the import of a private key for user ${told.say("userId")}`,
  importPrivateKeyIntent: (told) =>
    `Import private key ${told.say("privateKeyName")} (${told.say("curve")}) for user ${told.say("userId")}`,
  exportPrivateKeyIntent: (told) =>
    `Export private key ${told.say("privateKeyId")} to the key ${told.say("targetPublicKey")}`,
} satisfies FamilyWriters

/** "accounts ADDRESS_FORMAT_ETHEREUM m/44'/60'/0'/0/0" of a request's accounts. */
function accounts(told: Told<WithAccounts>): string {
  if (told.raw.accounts.length === 0) return "no account"
  const list = told.list(
    "accounts",
    (account) =>
      `${account.ifSet("name", (name) => `${name} `)}${account.say("addressFormat")} ${account.say("path")}`,
  )
  return `${told.raw.accounts.length === 1 ? "account" : "accounts"} ${list}`
}

function lost(told: Told<{ readonly deleteWithoutExport?: boolean | undefined }>): string {
  if (!told.has("deleteWithoutExport")) return ""
  told.note("deleteWithoutExport")
  return told.raw.deleteWithoutExport === true ? ", also keys that nobody has exported" : ""
}

type NewKey = { readonly privateKeyName: string; readonly curve: unknown }

function privateKeys(told: Told<{ readonly privateKeys: readonly NewKey[] }>): string {
  return `Create private keys ${told.list("privateKeys", (key) => `${key.say("privateKeyName")} (${key.say("curve")})`)}`
}
