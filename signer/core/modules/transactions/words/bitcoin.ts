// Bitcoin transactions in words.
import { addressOfScript, type BitcoinNetwork } from "../../../address/bitcoin.ts"
import { canonicalAddress } from "../../../address/canonical.ts"
import { counted } from "../../../counted.ts"
import { paysForMessage, type SignedMessage } from "../../../transaction/bitcoin/message.ts"
import type { TransactionOutput } from "../../../transaction/bitcoin/raw-transaction.ts"
import {
  type BitcoinTransaction,
  bitcoinSchemeOf,
  readBitcoinTransaction,
} from "../../../transaction/bitcoin/transaction.ts"
import { satoshiText } from "../../../words/chains.ts"
import { listed } from "../../../words/text.ts"
import { identified } from "../../../words/values.ts"
import type { Content, NameOf, WordsContext } from "../../../words/words.ts"
import { factOf } from "./content.ts"
import { messageContent, readableText } from "./message.ts"

/** A PSBT. @param signWith the address, in any spelling, or the id of a private key @throws Fault transaction */
export function unsignedBitcoin(bytes: Uint8Array, signWith: string, { nameOf }: WordsContext): Content {
  const transaction = readBitcoinTransaction(bytes, bitcoinSchemeOf(signWith))
  const { inputs, outputs, fee, locktime, version } = transaction
  const { network, chain } = networkOf(signWith)
  const own = canonicalAddress(signWith)
  const { message } = transaction.psbt
  if (message !== undefined) return signedMessage(message, transaction, network)
  const words = outputs.map((output) => outputText(output, network, own, nameOf))
  const paid = words.filter(({ isOwn }) => !isOwn)
  const sent =
    paid.length === 0 ? ["send everything back to the account"] : paid.map(({ text }) => `send ${text}`)
  return {
    title: "Bitcoin transaction",
    summary: `${listed(sent)} on ${chain}, fee ${satoshiText(fee)}`,
    facts: [
      { name: "Chain", value: chain },
      ...words.map(({ text, isOwn }, index) => ({
        name: `Output ${index + 1}`,
        value: isOwn ? `${text}, back to the account` : text,
      })),
      { name: "Fee", value: satoshiText(fee) },
      ...inputs.map(({ transactionId, outputIndex }, index) => ({
        name: `Input ${index + 1}`,
        value: `output ${outputIndex} of ${transactionId}`,
      })),
      ...factOf("Not before", locktime.amount === 0 ? "" : `${locktime.amount} (${locktime.type})`),
      { name: "Version", value: String(version) },
    ],
    warnings: paysForMessage(outputs) ? [UNTOLD] : [],
  }
}

const UNTOLD =
  "It has the form of a signed message (BIP-322), and the PSBT does not tell the message: nobody can see what it says. Ask for PSBT_GLOBAL_GENERIC_SIGNED_MESSAGE."
const UNREADABLE = "Nobody can read this message."

/** A PSBT that signs a message. What it spends is on no chain, so it pays nothing. */
function signedMessage(
  { text, script }: SignedMessage,
  { inputs, locktime }: BitcoinTransaction,
  network: BitcoinNetwork,
): Content {
  const title = "Message (BIP-322)"
  const readable = readableText(text)
  const hex = Buffer.from(text).toString("hex")
  const content =
    readable === undefined
      ? {
          title,
          summary: `a message of ${counted(text.length, "byte")} that nobody can read`,
          facts: [{ name: "Bytes", value: hex }],
          warnings: [UNREADABLE],
        }
      : messageContent(title, readable)
  const address = addressOfScript(script, network)?.address
  return {
    ...content,
    facts: [
      ...content.facts,
      { name: "Signed for", value: address ?? `script ${Buffer.from(script).toString("hex")}` },
      ...inputs.slice(1).map(({ transactionId, outputIndex }) => ({
        name: "Shows control of",
        value: `output ${outputIndex} of ${transactionId}`,
      })),
      ...factOf("Not before", locktime.amount === 0 ? "" : `${locktime.amount} (${locktime.type})`),
    ],
  }
}

type Output = { readonly text: string; readonly isOwn: boolean }

export function outputText(
  { value, script }: TransactionOutput,
  network: BitcoinNetwork,
  own: string,
  nameOf: NameOf,
): Output {
  const address = addressOfScript(script, network)?.address
  const to =
    address === undefined
      ? `script ${Buffer.from(script).toString("hex") || "(empty)"}`
      : identified(address, nameOf)
  return { text: `${satoshiText(value)} to ${to}`, isOwn: address !== undefined && address === own }
}

/** Scripts name no network: the form of the signing address does. A private key's id says nothing. */
function networkOf(signWith: string): { network: BitcoinNetwork; chain: string } {
  const address = canonicalAddress(signWith)
  if (address.startsWith("bcrt1")) return { network: "REGTEST", chain: "Bitcoin Regtest" }
  if (/^(?:tb1|[mn2])/.test(address) && !UUID.test(address))
    return { network: "TESTNET", chain: "Bitcoin Testnet" }
  const chain = UUID.test(address) ? "Bitcoin (addresses as on the main network)" : "Bitcoin"
  return { network: "MAINNET", chain }
}

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-/
