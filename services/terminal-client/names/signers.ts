import { usage } from "../exit.ts"
import type { Querying } from "../api-client.ts"
import { readUuid } from "../../../signer/core/uuid.ts"
import type { Item } from "./kinds.ts"
import { chooseNamed, Directory } from "./resolve.ts"

/** A key that signs: its name in requests, and the facts that decide how a message is signed. */
export type NamedSigner = {
  /** Address of an account, or id of a private key. */
  signWith: string
  /** Address formats; empty: not known, because an address was given. */
  formats: readonly string[]
  curve: string | undefined
}

/** An address of any chain: hexadecimal, Base58, Bech32 or Base32. */
const ADDRESS = /^(?:0x[0-9a-fA-F]{40,64}|[0-9A-Za-z]{32,90})$/

/**
 * The key that a name means: an account by its name or address, a wallet that has one account, or a private key. Addresses
 * and ids are taken as they are, unless the kind of key matters.
 *
 * @throws {CliError} usage: none, or several
 */
export async function findSigner(
  text: string | undefined,
  querying: Querying,
  { mustKnow = false } = {},
): Promise<NamedSigner> {
  if (text === undefined || text === "")
    throw usage("nothing signs: name an account, a wallet or a private key with --with NAME")
  if (!mustKnow && (ADDRESS.test(text) || readUuid(text) !== undefined))
    return { signWith: text, formats: [], curve: undefined }
  const directory = new Directory(querying)
  const [accounts, wallets, privateKeys] = await Promise.all([
    directory.list("account"),
    directory.list("wallet"),
    directory.list("private-key"),
  ])
  const walletNames = new Map(wallets.map(({ walletId, walletName }) => [walletId, walletName]))
  const signers = [
    ...accounts.map((account) => ({ ...account, walletName: walletNames.get(account["walletId"]) })),
    ...privateKeys.map((key) => ({ ...key, address: key["privateKeyId"], name: key["privateKeyName"] })),
  ]
  const found = chooseNamed<Item>(signers, text, {
    id: "address",
    noun: "account, wallet or private key",
    names: ["name", "walletName", "walletAccountId"],
  })
  return signerOf(found)
}

function signerOf(item: Item): NamedSigner {
  const { address, addressFormat, addresses, curve } = item
  const formats = Array.isArray(addresses)
    ? addresses.map(({ format }: { format: string }) => format)
    : [String(addressFormat)]
  return { signWith: String(address), formats, curve: String(curve) }
}
