// Words of wallets, private keys and secrets.
import type { MemberPhrases } from "../../words/member-phrases.ts"
import { someOrNo } from "../../words/text.ts"
import type { FamilyWriters } from "../../words/writer.ts"

type Named = { readonly name?: string | undefined; readonly path: string; readonly addressFormat: unknown }
type WithAccounts = { readonly accounts: readonly Named[] }

export const writers = {
  createWalletIntent: (members) => `Create wallet ${members.say("walletName")} with ${accounts(members)}`,
  updateWalletIntent: (members) =>
    `Name wallet ${members.say("walletId")} ${members.ifSet("walletName", (name) => name)}`.trimEnd(),
  createWalletAccountsIntent: (members) =>
    `${members.raw.persist === false ? "Show, without keeping them," : "Derive"} ${accounts(members)} of wallet ${members.say("walletId")}`,
  updateWalletAccountNameIntent: (members) =>
    `Name wallet account ${members.say("walletAccountId")} ${members.say("name")}`,
  deleteWalletAccountsIntent: (members) =>
    `Delete wallet accounts ${members.say("walletAccountIds")}${lost(members)}`,
  deleteWalletsIntent: (members) => `Delete wallets ${members.say("walletIds")}${lost(members)}`,
  initImportWalletIntent: (members) => `Prepare the import of a wallet for user ${members.say("userId")}`,
  importWalletIntent: (members) =>
    `Import wallet ${members.say("walletName")} with ${accounts(members)} for user ${members.say("userId")}`,
  exportWalletIntent: (members) =>
    `Export the mnemonic of wallet ${members.say("walletId")} to the key ${members.say("targetPublicKey")}`,
  exportWalletAccountIntent: (members) =>
    `Export the private key of account ${members.say("address")} to the key ${members.say("targetPublicKey")}`,
  createPrivateKeysIntent: privateKeys,
  createPrivateKeysIntentV2: privateKeys,
  deletePrivateKeysIntent: (members) => `Delete private keys ${members.say("privateKeyIds")}${lost(members)}`,
  createPrivateKeyTagIntent: (members) =>
    `Create private key tag ${members.say("privateKeyTagName")} for ${someOrNo("private keys", members.raw.privateKeyIds, members.say("privateKeyIds"))}`,
  updatePrivateKeyTagIntent: (members) =>
    `Change private key tag ${members.say("privateKeyTagId")}: name ${members.ifSet("newPrivateKeyTagName", (name) => name) || "unchanged"}, add ${members.say("addPrivateKeyIds")}, remove ${members.say("removePrivateKeyIds")}`,
  deletePrivateKeyTagsIntent: (members) => `Delete private key tags ${members.say("privateKeyTagIds")}`,
  initImportPrivateKeyIntent: (members) =>
    `Prepare the import of a private key for user ${members.say("userId")}`,
  importPrivateKeyIntent: (members) =>
    `Import private key ${members.say("privateKeyName")} (${members.say("curve")}) for user ${members.say("userId")}`,
  exportPrivateKeyIntent: (members) =>
    `Export private key ${members.say("privateKeyId")} to the key ${members.say("targetPublicKey")}`,
  initImportSecretsIntent: (members) => `Prepare the import of secrets (${members.say("numSecrets")})`,
  importSecretsIntent: (members) =>
    `Import secrets ${members.list("secrets", (secret) => secret.say("name"))}`,
  exportSecretsIntent: (members) =>
    `Export secrets ${members.list("secrets", (secret) => `${secret.say("secretId")} to the key ${secret.say("targetPublicKey")}`)}`,
  deleteSecretsIntent: (members) => `Delete secrets ${members.say("secretIds")}`,
} satisfies FamilyWriters

/** "accounts ADDRESS_FORMAT_ETHEREUM m/44'/60'/0'/0/0" of a request's accounts. */
function accounts(members: MemberPhrases<WithAccounts>): string {
  if (members.raw.accounts.length === 0) return "no account"
  const list = members.list(
    "accounts",
    (account) =>
      `${account.ifSet("name", (name) => `${name} `)}${account.say("addressFormat")} ${account.say("path")}`,
  )
  return `${members.raw.accounts.length === 1 ? "account" : "accounts"} ${list}`
}

function lost(members: MemberPhrases<{ readonly deleteWithoutExport?: boolean | undefined }>): string {
  if (!members.has("deleteWithoutExport")) return ""
  members.mention("deleteWithoutExport")
  return members.raw.deleteWithoutExport === true ? ", also keys that nobody has exported" : ""
}

type NewKey = { readonly privateKeyName: string; readonly curve: unknown }

function privateKeys(members: MemberPhrases<{ readonly privateKeys: readonly NewKey[] }>): string {
  return `Create private keys ${members.list("privateKeys", (key) => `${key.say("privateKeyName")} (${key.say("curve")})`)}`
}
