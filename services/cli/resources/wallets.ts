import { chainOfFormat } from "../../dashboard/words/chains.ts"
import { readAccounts } from "./accounts.ts"
import type { Resource } from "./resource.ts"

const ACCOUNT = "ethereum, solana, bitcoin or tron; :INDEX and :INDEX:NAME may follow"

/** Wallets, their accounts, private keys and their tags. */
export const wallets: readonly Resource[] = [
  {
    name: "wallet",
    about: "wallets",
    strip: ["wallet"],
    kind: "wallet",
    commands: [
      {
        verb: "create",
        type: "ACTIVITY_TYPE_CREATE_WALLET",
        about: "create a wallet",
        argument: "walletName",
        options: { accounts: { flag: "account", about: ACCOUNT, read: readAccounts } },
        examples: [
          "wallet create Savings --account ethereum",
          "wallet create Payroll --account ethereum:0:salaries --account solana --dry-run",
        ],
      },
      {
        verb: "list",
        query: "list_wallets",
        member: "wallets",
        about: "list the wallets",
        columns: [
          ["name", "walletName"],
          ["id", "walletId"],
          ["exported", ({ exported }) => (exported === true ? "exported" : "")],
          ["imported", ({ imported }) => (imported === true ? "imported" : "")],
        ],
        examples: ["wallet list"],
      },
      {
        verb: "show",
        query: "get_wallet",
        member: "wallet",
        about: "show a wallet",
        argument: { member: "walletId", kind: "wallet" },
        examples: ["wallet show First"],
      },
      {
        verb: "update",
        type: "ACTIVITY_TYPE_UPDATE_WALLET",
        about: "rename a wallet",
        argument: "walletId",
        examples: ["wallet update First --name Main"],
      },
      {
        verb: "delete",
        type: "ACTIVITY_TYPE_DELETE_WALLETS",
        about: "delete wallets",
        argument: "walletIds",
        examples: ["wallet delete Savings --delete-without-export"],
      },
    ],
  },
  {
    name: "account",
    about: "accounts of wallets",
    strip: ["walletAccount"],
    kind: "account",
    commands: [
      {
        verb: "create",
        type: "ACTIVITY_TYPE_CREATE_WALLET_ACCOUNTS",
        about: "derive accounts of a wallet",
        argument: "accounts",
        options: { accounts: { about: ACCOUNT, read: readAccounts } },
        omit: ["persist"],
        examples: ["account create ethereum:1:savings --wallet First"],
      },
      {
        verb: "list",
        query: "list_wallet_accounts",
        member: "accounts",
        about: "list the accounts of a wallet, or of all",
        columns: [
          ["name", "name"],
          ["address", "address"],
          ["chain", ({ addressFormat }) => chainOfFormat(String(addressFormat))],
          ["path", "path"],
          ["id", "walletAccountId"],
        ],
        options: { walletId: {} },
        examples: ["account list --wallet First"],
      },
      {
        verb: "show",
        query: "list_wallet_accounts",
        member: "",
        about: "show an account, by name, address or id",
        argument: { member: "", kind: "account" },
        examples: ["account show savings"],
      },
      {
        verb: "delete",
        type: "ACTIVITY_TYPE_DELETE_WALLET_ACCOUNTS",
        about: "delete accounts",
        argument: "walletAccountIds",
        examples: ["account delete savings --delete-without-export"],
      },
    ],
  },
  {
    name: "private-key",
    about: "private keys outside of wallets",
    strip: ["privateKey"],
    kind: "private-key",
    commands: [
      {
        verb: "create",
        type: "ACTIVITY_TYPE_CREATE_PRIVATE_KEYS_V2",
        about: "create a private key",
        within: "privateKeys",
        argument: "privateKeyName",
        examples: ["private-key create oracle --curve secp256k1 --address-format ethereum"],
      },
      {
        verb: "list",
        query: "list_private_keys",
        member: "privateKeys",
        about: "list the private keys",
        columns: [
          ["name", "privateKeyName"],
          ["id", "privateKeyId"],
          ["curve", "curve"],
        ],
        examples: ["private-key list"],
      },
      {
        verb: "show",
        query: "get_private_key",
        member: "privateKey",
        about: "show a private key's addresses, public key and tags",
        argument: { member: "privateKeyId", kind: "private-key" },
        examples: ["private-key show oracle"],
      },
      {
        verb: "delete",
        type: "ACTIVITY_TYPE_DELETE_PRIVATE_KEYS",
        about: "delete private keys",
        argument: "privateKeyIds",
        examples: ["private-key delete oracle --delete-without-export"],
      },
    ],
  },
  {
    name: "private-key-tag",
    about: "tags of private keys, which policies name",
    strip: ["newPrivateKeyTag", "privateKeyTag", "privateKey"],
    kind: "private-key-tag",
    commands: [
      {
        verb: "create",
        type: "ACTIVITY_TYPE_CREATE_PRIVATE_KEY_TAG",
        about: "create a tag",
        argument: "privateKeyTagName",
        options: { privateKeyIds: { flag: "private-key" } },
        examples: ["private-key-tag create oracles --private-key oracle"],
      },
      {
        verb: "list",
        query: "list_private_key_tags",
        member: "privateKeyTags",
        about: "list the tags",
        columns: [
          ["name", "tagName"],
          ["id", "tagId"],
        ],
        examples: ["private-key-tag list"],
      },
      {
        verb: "show",
        query: "list_private_key_tags",
        member: "",
        about: "show a tag",
        argument: { member: "", kind: "private-key-tag" },
        examples: ["private-key-tag show oracles"],
      },
      {
        verb: "update",
        type: "ACTIVITY_TYPE_UPDATE_PRIVATE_KEY_TAG",
        about: "rename a tag, give it to private keys or take it from them",
        argument: "privateKeyTagId",
        examples: ["private-key-tag update oracles --name feeds"],
      },
      {
        verb: "delete",
        type: "ACTIVITY_TYPE_DELETE_PRIVATE_KEY_TAGS",
        about: "delete tags",
        argument: "privateKeyTagIds",
        examples: ["private-key-tag delete oracles"],
      },
    ],
  },
]
