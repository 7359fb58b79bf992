import type { Members, RootReader } from "../../../policy/expression.ts"
import { NATIVE } from "./assets.ts"
import {
  authorizationTransfers,
  ethereumTransfers,
  tronTransfers,
  typedDataTransfers,
  userOperationTransfers,
} from "./evm-transfers.ts"
import { solanaTransfers } from "./solana-transfers.ts"
import { integer, list, text, type Transfer } from "./transfer.ts"

/** Roots of facts that `transfersOf` reads. */
export const COUNTED_ROOTS = [
  "eth.tx",
  "eth.eip_712",
  "eth.user_op",
  "eth.eip_7702_authorization",
  "solana.tx",
  "tron.tx",
  "bitcoin.tx",
] as const

type CountedRoot = (typeof COUNTED_ROOTS)[number]

/** Roots that each item of a batch has for itself. The other ones show one transaction to each of its signers. */
const OF_EACH_ITEM: ReadonlySet<CountedRoot> = new Set([
  "eth.tx",
  "eth.eip_712",
  "eth.user_op",
  "eth.eip_7702_authorization",
])

/**
 * The transfers of a request, read from the facts that policies read. Amounts of 0 are no transfers.
 *
 * @param items of a batch: the calls of an Ethereum transaction, typed payloads, or the signers of one other transaction
 * @param ownAddresses addresses of the key that signs: what a Bitcoin transaction pays to them does not leave it, and typed data for
 *   one of them are read by the account's own delegate
 */
export function transfersOf(items: readonly RootReader[], ownAddresses: () => readonly string[]): Transfer[] {
  const found = items.flatMap((read, index) =>
    COUNTED_ROOTS.filter((root) => index === 0 || OF_EACH_ITEM.has(root)).flatMap((root) => {
      const value = read(root)
      return value instanceof Map ? READERS[root](value as Members, ownAddresses) : []
    }),
  )
  return found.filter(({ amount }) => amount !== 0n)
}

const READERS: Readonly<Record<CountedRoot, (value: Members, own: () => readonly string[]) => Transfer[]>> = {
  "eth.tx": ethereumTransfers,
  "eth.eip_712": typedDataTransfers,
  "eth.user_op": userOperationTransfers,
  "eth.eip_7702_authorization": authorizationTransfers,
  "solana.tx": solanaTransfers,
  "tron.tx": tronTransfers,
  "bitcoin.tx": bitcoinTransfers,
}

/** Everything that is not paid back to the signing address. Fees are no transfers. */
function bitcoinTransfers(transaction: Members, ownAddresses: () => readonly string[]): Transfer[] {
  const chain = { family: "bip122", reference: undefined, token: NATIVE } as const
  const own = ownAddresses()
  return list(transaction, "outputs")
    .filter((output) => !own.includes(text(output, "address")))
    .map((output) => ({ ...chain, amount: integer(output, "value") }))
}
