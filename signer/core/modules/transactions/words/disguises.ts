// Bytes that a chain would take as something of its own. The bytes before the hash are tested, because they are signed.
import { readRlp, type RlpItem } from "../../../transaction/ethereum/rlp.ts"
import { addressOf, integerOf, MAX_UINT256, requireList } from "../../../transaction/ethereum/fields.ts"
import { readSolanaMessage } from "../../../transaction/solana/transaction.ts"
import type { Content, WordsContext } from "../../../words/words.ts"
import { bitcoinPreimage } from "./bitcoin-preimage.ts"
import { cosmosDirect, cosmosJson } from "./cosmos.ts"
import { authorizationFacts, unsignedEthereum } from "./ethereum.ts"
import { solanaContent, unsignedSolana } from "./solana.ts"
import { unsignedTron } from "./tron.ts"

const OF_TRANSACTION =
  "This is a transaction, sent as bytes: its signature is good on the chain, and no policy on transactions applies to it."

type Reader = (bytes: Uint8Array, context: WordsContext) => Content

const READERS: readonly Reader[] = [
  unsignedEthereum,
  (bytes, context) => solanaContent(readSolanaMessage(bytes), "Solana: the bytes name no cluster", context),
  unsignedSolana,
  unsignedTron,
  bitcoinPreimage,
  cosmosJson,
  cosmosDirect,
]

/** Other readings of a message's bytes: transactions of any chain, typed data by its hashes, authorizations. */
export function disguisesOf(bytes: Uint8Array, context: WordsContext): Content[] {
  const transactions = READERS.flatMap((read) => attempt(() => read(bytes, context))).map((content) => ({
    ...content,
    warnings: [OF_TRANSACTION, ...content.warnings],
  }))
  return [...transactions, ...attempt(() => authorization(bytes, context)), ...typedDataHashes(bytes)]
}

function attempt(read: () => Content): Content[] {
  try {
    return [read()]
  } catch {
    return []
  }
}

const AUTHORIZATION_MAGIC = 0x05

/** `05 || rlp([chain id, address, nonce])` (EIP-7702). @throws Fault transaction for any other bytes */
function authorization(bytes: Uint8Array, context: WordsContext): Content {
  if (bytes[0] !== AUTHORIZATION_MAGIC) throw new TypeError("no authorization")
  const { items } = requireList(readRlp(bytes, 1), "the authorization")
  if (items.length !== 3) throw new TypeError("no authorization")
  const [chainId, address, nonce] = items as [RlpItem, RlpItem, RlpItem]
  const facts = authorizationFacts(
    {
      chainId: integerOf(chainId, "chainId", MAX_UINT256),
      address: addressOf(address, "address"),
      nonce: integerOf(nonce, "nonce", MAX_UINT256),
    },
    context,
  )
  return {
    title: "Authorization (EIP-7702)",
    summary: `an authorization (EIP-7702), sent as bytes: ${facts.map(({ name, value }) => `${name.toLowerCase()} ${value}`).join(", ")}`,
    facts,
    warnings: ["This is an authorization, sent as bytes. The account will run the code of this contract."],
  }
}

/** `19 01 || hash of the domain (32) || hash of the message (32)` (EIP-712). */
function typedDataHashes(bytes: Uint8Array): Content[] {
  if (bytes.length !== 66 || bytes[0] !== 0x19 || bytes[1] !== 0x01) return []
  const hex = (from: number) => `0x${Buffer.from(bytes.subarray(from, from + 32)).toString("hex")}`
  return [
    {
      title: "Typed data by its hashes (EIP-712)",
      summary: `typed data of which only hashes are here (domain ${hex(2)}, message ${hex(34)})`,
      facts: [
        { name: "Hash of the domain", value: hex(2) },
        { name: "Hash of the message", value: hex(34) },
      ],
      warnings: [
        "Nobody can see what is signed: the bytes hold hashes of typed data. It may be a permit or an order.",
      ],
    },
  ]
}
