import { chainOfFormat } from "../../dashboard/words/chains.ts"
import type { Json } from "../../terminal-client/json.ts"
import { readAccounts } from "./accounts.ts"
import { change, list, type Resource, show } from "./resource.ts"

const ACCOUNT = {
  about: "ethereum, solana, bitcoin or tron; :INDEX and :INDEX:NAME may follow",
  read: readAccounts,
}

const ACCOUNT_COLUMNS = {
  name: "name",
  address: "address",
  chain: ({ addressFormat }: Json) => chainOfFormat(String(addressFormat)),
  path: "path",
  id: "walletAccountId",
}

const ownWallets: Resource = {
  name: "wallet",
  about: "wallets",
  strip: ["wallet"],
  kind: "wallet",
  commands: [
    change(
      "create",
      "CREATE_WALLET",
      "create a wallet",
      [
        "wallet create Savings --account ethereum",
        "wallet create Payroll --account ethereum:0:salaries --account solana --dry-run",
      ],
      { argument: "walletName", options: { accounts: { flag: "account", ...ACCOUNT } } },
    ),
    list("list_wallets wallets", "list the wallets", "wallet list", {
      name: "walletName",
      id: "walletId",
      exported: ({ exported }) => (exported === true ? "exported" : ""),
      imported: ({ imported }) => (imported === true ? "imported" : ""),
    }),
    show("get_wallet wallet", "show a wallet and a page of its accounts", ["wallet show First"], {
      argument: "kind",
      pages: {
        query: "list_wallet_accounts",
        member: "accounts",
        cursor: "walletAccountId",
        columns: ACCOUNT_COLUMNS,
      },
    }),
    change("update", "UPDATE_WALLET", "rename a wallet", ["wallet update First --name Main"]),
    change("delete", "DELETE_WALLETS", "delete wallets", ["wallet delete Savings --delete-without-export"]),
  ],
}

const accounts: Resource = {
  name: "account",
  about: "accounts of wallets",
  strip: ["walletAccount"],
  kind: "account",
  commands: [
    change(
      "create",
      "CREATE_WALLET_ACCOUNTS",
      "derive accounts of a wallet",
      ["account create ethereum:1:savings --wallet First"],
      { argument: "accounts", options: { accounts: ACCOUNT }, omit: ["persist"] },
    ),
    list(
      "list_wallet_accounts accounts",
      "list the accounts of a wallet, or of all",
      "account list --wallet First",
      ACCOUNT_COLUMNS,
      { walletId: {} },
    ),
    show("list_wallet_accounts", "show an account, by name, address or id", ["account show savings"]),
    change("update", "UPDATE_WALLET_ACCOUNT_NAME", "rename an account", [
      "account update savings --name treasury",
    ]),
    change("delete", "DELETE_WALLET_ACCOUNTS", "delete accounts", [
      "account delete savings --delete-without-export",
    ]),
  ],
}

const privateKeys: Resource = {
  name: "private-key",
  about: "private keys outside of wallets",
  strip: ["privateKey"],
  kind: "private-key",
  commands: [
    change(
      "create",
      "CREATE_PRIVATE_KEYS_V2",
      "create a private key",
      ["private-key create oracle --curve secp256k1 --address-format ethereum"],
      { within: "privateKeys", argument: "privateKeyName" },
    ),
    list("list_private_keys privateKeys", "list the private keys", "private-key list", {
      name: "privateKeyName",
      id: "privateKeyId",
      curve: "curve",
    }),
    show("get_private_key privateKey", "show a private key's addresses, public key and tags", [
      "private-key show oracle",
    ]),
    change("delete", "DELETE_PRIVATE_KEYS", "delete private keys", [
      "private-key delete oracle --delete-without-export",
    ]),
  ],
}

const privateKeyTags: Resource = {
  name: "private-key-tag",
  about: "tags of private keys, which policies name",
  strip: ["newPrivateKeyTag", "privateKeyTag", "privateKey"],
  kind: "private-key-tag",
  commands: [
    change(
      "create",
      "CREATE_PRIVATE_KEY_TAG",
      "create a tag",
      ["private-key-tag create oracles --private-key oracle"],
      { argument: "privateKeyTagName", options: { privateKeyIds: { flag: "private-key" } } },
    ),
    list("list_private_key_tags privateKeyTags", "list the tags", "private-key-tag list", {
      name: "tagName",
      id: "tagId",
    }),
    show("list_private_key_tags", "show a tag", ["private-key-tag show oracles"]),
    change("update", "UPDATE_PRIVATE_KEY_TAG", "rename a tag, give it to private keys or take it from them", [
      "private-key-tag update oracles --name feeds",
    ]),
    change("delete", "DELETE_PRIVATE_KEY_TAGS", "delete tags", ["private-key-tag delete oracles"]),
  ],
}

/** Wallets, their accounts, private keys and their tags. */
export const wallets: readonly Resource[] = [ownWallets, accounts, privateKeys, privateKeyTags]
