// Sends on EVM chains in words, read as the signer reads them.
import { counted } from "../../../counted.ts"
import {
  type EthereumSend,
  type EthereumSendParameters,
  readEthereumSend,
} from "../../../send/ethereum-send.ts"
import { readRawTransaction } from "../../../send/raw-transaction.ts"
import {
  readCancellation,
  readReplacement,
  type Replacement,
  type ReplacementParameters,
} from "../../../send/replacement.ts"
import { endOf, remainsOf } from "../../../send/remains.ts"
import type { RawSendParameters } from "../../../send/facts.ts"
import { chainText, weiText } from "../../../words/chains.ts"
import { listed, timeText } from "../../../words/text.ts"
import type { Content, DescriptionLine, WordsContext } from "../../../words/words.ts"
import { addressText } from "./arguments.ts"
import { factOf, readContent } from "./content.ts"
import { ethereumContent, paymentWords } from "./ethereum.ts"

/** A send, a batch of calls, or the end of a delegation. */
export function ethereumSend(parameters: EthereumSendParameters, context: WordsContext): Content {
  return readContent("Send", () => {
    const send = readEthereumSend(parameters)
    return send.kind === "undelegation" ? undelegation(send, context) : payments(send, context)
  })
}

/** A transaction that was signed elsewhere and is broadcast here. */
export function rawSend({ signedTransaction, caip2 }: RawSendParameters, context: WordsContext): Content {
  return readContent("Signed transaction", () => {
    const { transaction, from, hash } = readRawTransaction(signedTransaction, caip2)
    const sender = [
      { name: "From", value: addressText(from, context.nameOf) },
      { name: "Hash", value: hash },
    ]
    return ethereumContent("Signed transaction", transaction, context, sender)
  })
}

/** A waiting transaction that is signed again with higher fees: what is sent, then the waiting one. */
export function replacement(parameters: ReplacementParameters, context: WordsContext): readonly Content[] {
  return inPlaceOf("Replacement", context, () => {
    const read = readReplacement(parameters)
    const { summary, ...sent } = payments(read.send, context)
    return {
      read,
      content: { ...sent, summary: `${summary} again with other fees, in place of ${waitingName(read)}` },
    }
  })
}

/** A transaction of nothing that takes the place of a waiting one, then the waiting one. */
export function cancellation(parameters: ReplacementParameters, context: WordsContext): readonly Content[] {
  return inPlaceOf("Cancellation", context, () => {
    const read = readCancellation(parameters)
    const { send, replaced, batch } = read
    const content = payments(send, context)
    if (batch === undefined) {
      const { summary } = ethereumContent("", replaced.transaction, context)
      return { read, content: { ...content, summary: `cancel ${waitingName(read)}: ${summary}` } }
    }
    const words = batch.calls.map((call) => paymentWords(call, send.chainId, context))
    const cancelled = words.flatMap(({ facts }, index) =>
      facts.map((fact) => ({ ...fact, name: `Cancelled call ${index + 1} › ${fact.name}` })),
    )
    const summary = `cancel ${waitingName(read)} and its ${counted(words.length, "call")}: ${listed(words.map((one) => one.summary))} on ${chainText(send.caip2)}`
    return { read, content: { ...content, summary, facts: [...content.facts, ...cancelled] } }
  })
}

function inPlaceOf(
  title: string,
  context: WordsContext,
  read: () => { read: Replacement; content: Content },
): readonly Content[] {
  const contents: Content[] = []
  const first = readContent(title, () => {
    const { read: found, content } = read()
    const { transaction, from, hash } = found.replaced
    const facts = [
      { name: "From", value: addressText(from, context.nameOf) },
      { name: "Hash", value: hash },
    ]
    const waiting = ethereumContent("Waiting transaction", transaction, context, facts)
    contents.push(waiting)
    return {
      ...content,
      title,
      facts: [{ name: "In place of", value: hash }, ...content.facts],
      warnings: [
        ...content.warnings,
        "At most one of the two transactions is included. It may still be the waiting one.",
        ...(found.batch === undefined
          ? remainsOf(transaction, from.toLowerCase())
          : [endOf(found.batch)]
        ).map((sentence) => `The waiting transaction: ${sentence}`),
      ],
    }
  })
  return [first, ...contents]
}

/** "transaction 0x… with nonce 7". */
function waitingName({ replaced }: Replacement): string {
  return `transaction ${replaced.hash} with nonce ${replaced.transaction.nonce}`
}

const HOW: { readonly [kind in EthereumSend["kind"]]: string } = {
  plain: "one transaction of the account",
  batch: "one batch that the account runs (EIP-7702)",
  sponsored: "calls that the operator's paymaster sends and pays for (EIP-7702)",
  undelegation: "one transaction of the account",
}

function payments(send: EthereumSend, context: WordsContext): Content {
  const { kind, calls, chainId, caip2, from } = send
  const words = calls.map((call) => paymentWords(call, chainId, context))
  const facts = words.flatMap((one, index) =>
    calls.length === 1
      ? one.facts
      : one.facts.map((fact) => ({ ...fact, name: `Call ${index + 1} › ${fact.name}` })),
  )
  const delegate =
    kind === "plain"
      ? []
      : ["An account that has no delegate contract yet runs the operator's from this send on (EIP-7702)."]
  return {
    title: calls.length === 1 ? "Send" : `Send of ${calls.length} calls`,
    summary: `${listed(words.map(({ summary }) => summary))} on ${chainText(caip2)}${kind === "sponsored" ? ", sponsored" : ""}`,
    facts: [
      { name: "Chain", value: chainText(caip2) },
      { name: "From", value: addressText(from, context.nameOf) },
      { name: "Sent as", value: HOW[kind] },
      ...facts,
      ...givenFacts(send),
    ],
    warnings: [...words.flatMap(({ warnings }) => warnings), ...delegate],
  }
}

function undelegation(send: EthereumSend, { nameOf }: WordsContext): Content {
  const { caip2, from } = send
  const account = addressText(from, nameOf)
  return {
    title: "End of a delegation",
    summary: `end the delegation (EIP-7702) of ${account} on ${chainText(caip2)}`,
    facts: [
      { name: "Chain", value: chainText(caip2) },
      { name: "Account", value: account },
      ...givenFacts(send),
    ],
    warnings: [],
  }
}

/** The highest fee, and the values that the request fixes. */
function givenFacts({ kind, given, chainId }: EthereumSend): DescriptionLine[] {
  const { nonce, gasLimit, maxFeePerGas, maxPriorityFeePerGas, gasStationNonce, deadline } = given
  return [
    { name: "Fee at most", value: feeText(kind, given, chainId) },
    ...factOf("Gas limit", numberText(gasLimit)),
    ...factOf("Highest price for each gas", numberText(maxFeePerGas, " wei")),
    ...factOf("Tip for each gas", numberText(maxPriorityFeePerGas, " wei")),
    ...factOf("Nonce", numberText(nonce)),
    ...factOf("Nonce of the delegate contract", numberText(gasStationNonce)),
    ...factOf("Valid until", deadline === undefined ? "" : timeText(Number(deadline) * 1000)),
  ]
}

function feeText(
  kind: EthereumSend["kind"],
  { gasLimit, maxFeePerGas }: EthereumSend["given"],
  chainId: bigint,
): string {
  if (kind === "sponsored") return "nothing from this account: the operator's paymaster pays"
  if (gasLimit !== undefined && maxFeePerGas !== undefined) return weiText(gasLimit * maxFeePerGas, chainId)
  return "the operator's cap for the chain: the request names no gas limit and price"
}

const numberText = (value: bigint | undefined, unit = "") => (value === undefined ? "" : `${value}${unit}`)
