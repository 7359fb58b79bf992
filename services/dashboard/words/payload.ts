// Transactions, typed data and messages in words, read from the stamped request by the signer's own readers. Loaded when
// a request to sign is shown.
import type { Json } from "../api/client.ts"
import { readAuthorization } from "../../../signer/core/payload/authorization.ts"
import { HashBudget } from "../../../signer/core/payload/typed-data/budget.ts"
import { readTypedData } from "../../../signer/core/payload/typed-data/read.ts"
import {
  bitcoinSchemeOf,
  readBitcoinTransaction,
} from "../../../signer/core/transaction/bitcoin/transaction.ts"
import { readEthereumTransaction } from "../../../signer/core/transaction/ethereum/transaction.ts"
import { readSolanaTransaction } from "../../../signer/core/transaction/solana/transaction.ts"
import { readTronTransaction } from "../../../signer/core/transaction/tron/transaction.ts"
import { readUnsigned } from "../../../signer/core/transaction/unsigned.ts"
import { amount } from "./amount.ts"
import type { Decoded } from "./decoded.ts"
import { plainPayload } from "./plain-payload.ts"

/** The content that a request's parameters sign; undefined: none that can be decoded. */
export function decodeParameters(parameters: Json): Decoded[] | undefined {
  try {
    if (typeof parameters["unsignedTransaction"] === "string") return [transaction(parameters)]
    if (typeof parameters["payload"] === "string") return [payload(parameters["payload"], parameters)]
    if (Array.isArray(parameters["payloads"]))
      return parameters["payloads"].map((one) => payload(String(one), parameters))
  } catch (error) {
    const warning = `It cannot be read: ${error instanceof Error ? error.message : String(error)}. The signer will refuse it.`
    return [{ title: "Unreadable", facts: [], warning }]
  }
  return undefined
}

function transaction(parameters: Json): Decoded {
  const bytes = readUnsigned(String(parameters["unsignedTransaction"]))
  switch (parameters["type"]) {
    case "TRANSACTION_TYPE_ETHEREUM":
      return ethereum(bytes)
    case "TRANSACTION_TYPE_SOLANA":
      return solana(bytes)
    case "TRANSACTION_TYPE_TRON":
      return tron(bytes)
    case "TRANSACTION_TYPE_BITCOIN":
      return bitcoin(bytes, String(parameters["signWith"]))
    default:
      return {
        title: "Transaction",
        facts: [],
        warning: `This page cannot decode ${String(parameters["type"])}.`,
      }
  }
}

function ethereum(bytes: Uint8Array): Decoded {
  const {
    type,
    chainId,
    to,
    value,
    nonce,
    gas,
    data,
    maxFeePerGas,
    gasPrice,
    maxPriorityFeePerGas,
    authorizationList,
  } = readEthereumTransaction(bytes)
  const fee = gas * (maxFeePerGas > 0n ? maxFeePerGas : gasPrice)
  return {
    title: to === "" ? "Creates a contract" : "Ethereum transaction",
    facts: [
      ["Chain", chainId === 0n ? "every chain (no chain id)" : `eip155:${chainId}`],
      ["To", to === "" ? "a new contract" : to],
      ["Amount", `${amount(value, 18)} ETH (${value} wei)`],
      ["Fee at most", `${amount(fee, 18)} ETH`],
      ["Nonce", String(nonce)],
      ["Call data", data === "0x" ? "none" : `${data.slice(0, 10)}, ${(data.length - 2) / 2} bytes`],
      ["Data", data === "0x" ? "" : data],
      ["Tip for each gas", maxPriorityFeePerGas > 0n ? `${amount(maxPriorityFeePerGas, 9)} gwei` : ""],
      ["Authorizations", authorizationList.length > 0 ? String(authorizationList.length) : ""],
      ["Type", type],
    ],
    ...(chainId === 0n && { warning: "It has no chain id: it is valid on every chain." }),
  }
}

function solana(bytes: Uint8Array): Decoded {
  const { version, accountKeys, instructions, recentBlockhash, lookups } = readSolanaTransaction(bytes)
  return {
    title: "Solana transaction",
    facts: [
      ["Pays the fee", accountKeys[0] ?? ""],
      ...instructions.map(
        ({ program, accounts, data }, index) =>
          [
            `Instruction ${index + 1}`,
            `${accountKeys[program] ?? "a program from a table"}, ${accounts.length} accounts, data ${Buffer.from(data).toString("hex")}`,
          ] as const,
      ),
      ["Tables", lookups.length > 0 ? lookups.map(({ table }) => table).join(", ") : ""],
      ["Block hash", recentBlockhash],
      ["Format", version],
    ],
    ...(lookups.length > 0 && {
      warning: "It names accounts by tables on the chain, which these bytes do not show.",
    }),
  }
}

function tron(bytes: Uint8Array): Decoded {
  const { contract, expiration, feeLimit, data } = readTronTransaction(bytes)
  const fields = Object.entries(contract.fields as Record<string, unknown>).map(
    ([name, value]) => [name, show(value)] as const,
  )
  return {
    title: `Tron: ${contract.type}`,
    facts: [
      ...fields,
      ["Burns at most", `${amount(feeLimit, 6)} TRX`],
      ["Memo", data],
      ["Expires", new Date(Number(expiration)).toISOString()],
    ],
  }
}

function bitcoin(bytes: Uint8Array, signWith: string): Decoded {
  const { inputs, outputs, fee } = readBitcoinTransaction(bytes, bitcoinSchemeOf(signWith))
  return {
    title: "Bitcoin transaction",
    facts: [
      ...outputs.map((output, index) => [`Output ${index + 1}`, show(output)] as const),
      ["Fee", `${amount(fee, 8)} BTC`],
      ["Inputs", String(inputs.length)],
    ],
  }
}

/** Chains by the hash function with which they sign transactions. */
const READERS = {
  HASH_FUNCTION_KECCAK256: ethereum,
  HASH_FUNCTION_SHA256: tron,
  HASH_FUNCTION_NOT_APPLICABLE: solana,
}

function payload(text: string, parameters: Json): Decoded {
  switch (parameters["encoding"]) {
    case "PAYLOAD_ENCODING_EIP712": {
      const { primaryType, domain, message: content } = readTypedData(text, new HashBudget())
      const members = [...content].map(([name, value]) => [name, show(value)] as const)
      const of = [...domain].map(([name, value]) => `${name} ${show(value)}`).join(", ")
      return { title: `Typed data: ${primaryType}`, facts: [["Domain", of], ...members] }
    }
    case "PAYLOAD_ENCODING_EIP7702_AUTHORIZATION": {
      const facts = Object.entries(readAuthorization(text)).map(
        ([name, value]) => [name, show(value)] as const,
      )
      const warning = "The account will run the code of this contract."
      return { title: "Authorization (EIP-7702)", facts, warning }
    }
    default:
      return plainPayload(text, parameters, READERS)
  }
}

function show(value: unknown): string {
  if (value instanceof Uint8Array) return `0x${Buffer.from(value).toString("hex")}`
  if (value instanceof Map)
    return `{ ${[...value].map(([name, one]) => `${String(name)}: ${show(one)}`).join(", ")} }`
  if (Array.isArray(value)) return `[${value.map(show).join(", ")}]`
  if (typeof value === "object" && value !== null)
    return Object.entries(value)
      .map(([name, one]) => `${name} ${show(one)}`)
      .join(", ")
  return String(value)
}
