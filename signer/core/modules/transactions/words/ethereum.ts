// Ethereum transactions in words.
import { counted } from "../../../counted.ts"
import type { Authorization } from "../../../transaction/ethereum/authorization.ts"
import {
  type EthereumTransaction,
  readEthereumTransaction,
} from "../../../transaction/ethereum/transaction.ts"
import { chainText, weiText } from "../../../words/chains.ts"
import type { Content, DescriptionLine, WordsContext } from "../../../words/words.ts"
import { addressText } from "./arguments.ts"
import { callWords } from "./calls.ts"
import { factOf } from "./content.ts"
import { feeCurrencyClause, feeFacts, feeWarnings, tipFacts } from "./fees.ts"

const ANY_CHAIN = "every chain: the transaction names none"

/** An unsigned transaction. @throws Fault transaction */
export function unsignedEthereum(bytes: Uint8Array, context: WordsContext): Content {
  return ethereumContent("Ethereum transaction", readEthereumTransaction(bytes), context)
}

/** @param sender facts about the account that pays */
export function ethereumContent(
  title: string,
  transaction: EthereumTransaction,
  context: WordsContext,
  sender: readonly DescriptionLine[] = [],
): Content {
  const { type, chainId, to, value, nonce, gas, data } = transaction
  const chain = chainId === 0n ? ANY_CHAIN : chainText(`eip155:${chainId}`)
  const payment = to === "" ? creationWords(transaction) : paymentWords({ to, value, data }, chainId, context)
  const authorizations = transaction.authorizationList.flatMap((one, index) =>
    authorizationFacts(one, context).map(({ name, value: shown }) => ({
      name: `Authorization ${index + 1} › ${name}`,
      value: shown,
    })),
  )
  return {
    title,
    summary: `${payment.summary} on ${chain}${feeCurrencyClause(transaction, context)}`,
    facts: [
      { name: "Chain", value: chain },
      ...sender,
      ...payment.facts,
      ...feeFacts(transaction, context),
      { name: "Gas limit", value: String(gas) },
      { name: "Nonce", value: String(nonce) },
      ...tipFacts(transaction),
      ...accessFacts(transaction),
      ...authorizations,
      { name: "Type", value: type },
    ],
    warnings: [
      ...(chainId === 0n ? ["It has no chain id: it is valid on every chain."] : []),
      ...feeWarnings(transaction),
      ...payment.warnings,
      ...(authorizations.length > 0 ? ["Accounts will run the code of other contracts (EIP-7702)."] : []),
    ],
  }
}

/** A call with its amount and recipient. `to` and `data`: lower-case hexadecimal with 0x. */
export function paymentWords(
  { to, value, data }: { readonly to: string; readonly value: bigint; readonly data: string },
  chainId: bigint,
  context: WordsContext,
) {
  const call = callWords(to, data, context)
  const recipient = addressText(to, context.nameOf)
  const amount = weiText(value, chainId)
  const payment = value > 0n || call.summary === "" ? [`send ${amount} to ${recipient}`] : []
  return {
    summary: [...payment, ...(call.summary === "" ? [] : [call.summary])].join(" and "),
    facts: [{ name: "To", value: recipient }, { name: "Amount", value: amount }, ...call.facts],
    warnings: call.warnings,
  }
}

function creationWords({ value, data, chainId }: EthereumTransaction) {
  const code = counted((data.length - 2) / 2, "byte")
  const amount = weiText(value, chainId)
  return {
    summary: `create a contract with ${code} of code${value > 0n ? ` and send ${amount} to it` : ""}`,
    facts: [
      { name: "To", value: "a new contract" },
      { name: "Amount", value: amount },
      { name: "Code", value: code },
    ],
    warnings: ["It creates a contract. Nobody can see what its code does."],
  }
}

/** The account of the signature will run the contract's code. */
export function authorizationFacts(
  { address, chainId, nonce }: Authorization,
  { nameOf }: WordsContext,
): DescriptionLine[] {
  return [
    { name: "Code of", value: addressText(address, nameOf) },
    { name: "Chain", value: chainId === 0n ? "every chain" : chainText(`eip155:${chainId}`) },
    { name: "Nonce", value: String(nonce) },
  ]
}

function accessFacts({ accessList, blobVersionedHashes }: EthereumTransaction): DescriptionLine[] {
  return [
    ...factOf(
      "Access list",
      accessList.length > 0 ? counted(accessList.length, "address").replace("addresss", "addresses") : "",
    ),
    ...factOf("Blobs", blobVersionedHashes.join(", ")),
  ]
}
