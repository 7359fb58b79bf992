// Operations on wallets, private keys and contract interfaces outside the document, as published clients know them.
import { ADDRESS_FORMAT, ADDRESS_FORMAT_BEYOND, CURVE, SMART_CONTRACT_INTERFACE_TYPE } from "./enums.ts"
import {
  beyond,
  boolean,
  type Fields,
  list,
  oneOf,
  record,
  silentRequired,
  string,
  timestamp,
} from "./field.ts"
import { type Reply, reply } from "./reply.ts"
import type { QueryOperation } from "./query.ts"
import { walletAccount } from "./resources.ts"

const strings = silentRequired(list(string))

const address: Fields = {
  format: silentRequired(oneOf(ADDRESS_FORMAT, ADDRESS_FORMAT_BEYOND)),
  address: silentRequired(string),
}

export const privateKey: Fields = {
  privateKeyId: silentRequired(string),
  publicKey: silentRequired(string),
  privateKeyName: silentRequired(string),
  curve: silentRequired(oneOf(CURVE)),
  addresses: silentRequired(list(record(address))),
  privateKeyTags: strings,
  createdAt: silentRequired(timestamp),
  updatedAt: silentRequired(timestamp),
  exported: silentRequired(boolean),
  imported: silentRequired(boolean),
}

const smartContractInterface: Fields = {
  organizationId: silentRequired(string),
  smartContractInterfaceId: silentRequired(string),
  smartContractAddress: silentRequired(string),
  smartContractInterface: silentRequired(string),
  type: silentRequired(oneOf(SMART_CONTRACT_INTERFACE_TYPE)),
  label: silentRequired(string),
  notes: silentRequired(string),
  createdAt: silentRequired(timestamp),
  updatedAt: silentRequired(timestamp),
}

export const smartContractInterfaceReference: Fields = {
  smartContractInterfaceId: silentRequired(string),
  smartContractAddress: silentRequired(string),
  digest: silentRequired(string),
}

export const tag: Fields = {
  tagId: silentRequired(string),
  tagName: silentRequired(string),
  tagType: silentRequired(oneOf(["TAG_TYPE_USER", "TAG_TYPE_PRIVATE_KEY"])),
  createdAt: silentRequired(timestamp),
  updatedAt: silentRequired(timestamp),
}

/** One of the result of create_private_keys. */
const privateKeyResult: Fields = {
  privateKeyId: silentRequired(string),
  addresses: silentRequired(list(record(address))),
}

export const keyReplies: readonly Reply[] = [
  reply("UPDATE_WALLET", "", "updateWallet", { walletId: silentRequired(string) }),
  reply("UPDATE_WALLET_ACCOUNT_NAME", "", "updateWalletAccountName", {
    walletAccountId: silentRequired(string),
  }),
  reply("DELETE_WALLET_ACCOUNTS", "", "deleteWalletAccounts", { walletAccountIds: strings }),
  reply("CREATE_PRIVATE_KEYS", "", "createPrivateKeys", { privateKeyIds: strings }),
  {
    type: "ACTIVITY_TYPE_CREATE_PRIVATE_KEYS_V2",
    intent: "createPrivateKeysIntentV2",
    result: "createPrivateKeysResultV2",
    resultFields: { privateKeys: silentRequired(list(record(privateKeyResult))) },
  },
  reply("DELETE_SMART_CONTRACT_INTERFACE", "", "deleteSmartContractInterface", {
    smartContractInterfaceId: silentRequired(string),
  }),
  reply("DELETE_PRIVATE_KEYS", "", "deletePrivateKeys", { privateKeyIds: strings }),
  reply("INIT_IMPORT_WALLET", "", "initImportWallet", { importBundle: silentRequired(string) }),
  reply("INIT_IMPORT_PRIVATE_KEY", "", "initImportPrivateKey", { importBundle: silentRequired(string) }),
  reply("EXPORT_WALLET", "", "exportWallet", {
    walletId: silentRequired(string),
    exportBundle: silentRequired(string),
  }),
  reply("EXPORT_WALLET_ACCOUNT", "", "exportWalletAccount", {
    address: silentRequired(string),
    exportBundle: silentRequired(string),
  }),
  reply("EXPORT_PRIVATE_KEY", "", "exportPrivateKey", {
    privateKeyId: silentRequired(string),
    exportBundle: silentRequired(string),
  }),
  reply("CREATE_PRIVATE_KEY_TAG", "", "createPrivateKeyTag", {
    privateKeyTagId: silentRequired(string),
    privateKeyIds: strings,
  }),
  reply("UPDATE_PRIVATE_KEY_TAG", "", "updatePrivateKeyTag", { privateKeyTagId: silentRequired(string) }),
  reply("DELETE_PRIVATE_KEY_TAGS", "", "deletePrivateKeyTags", {
    privateKeyTagIds: strings,
    privateKeyIds: strings,
  }),
]

const organizationId = silentRequired(string)

export const keyQueries: readonly QueryOperation[] = [
  {
    path: "get_wallet_account",
    body: {
      organizationId,
      walletId: silentRequired(string),
      address: beyond(string),
      path: beyond(string),
    },
    reply: { account: silentRequired(record(walletAccount)) },
  },
  {
    path: "get_private_key",
    body: { organizationId, privateKeyId: silentRequired(string) },
    reply: { privateKey: silentRequired(record(privateKey)) },
  },
  {
    path: "list_private_keys",
    body: { organizationId },
    reply: { privateKeys: silentRequired(list(record(privateKey))) },
  },
  {
    path: "get_smart_contract_interface",
    body: { organizationId, smartContractInterfaceId: silentRequired(string) },
    reply: { smartContractInterface: silentRequired(record(smartContractInterface)) },
  },
  {
    path: "list_smart_contract_interfaces",
    body: { organizationId },
    reply: { smartContractInterfaces: silentRequired(list(record(smartContractInterface))) },
  },
  {
    path: "list_private_key_tags",
    body: { organizationId },
    reply: { privateKeyTags: silentRequired(list(record(tag))) },
  },
]
