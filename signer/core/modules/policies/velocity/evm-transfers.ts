import { tokenAmount } from "../../../contract-interface/token-functions.ts"
import { executedCalls } from "../../../contract-interface/account-calls.ts"
import type { Members, Value } from "../../../policy/expression.ts"
import { NATIVE, tokenOfContract } from "./assets.ts"
import {
  ANY_TOKEN,
  everything,
  integer,
  list,
  member,
  text,
  type Transfer,
  unknownAmount,
} from "./transfer.ts"

type Chain = Pick<Transfer, "family" | "reference">

/** `eth.tx`: the value, and what its call does with a token. */
export function ethereumTransfers(transaction: Members): Transfer[] {
  const chain = ethereumChain(integer(transaction, "chain_id"))
  const value = { ...chain, token: NATIVE, amount: integer(transaction, "value") }
  const [to, from] = [text(transaction, "to").toLowerCase(), text(transaction, "from").toLowerCase()]
  const data = text(transaction, "data").slice("0x".length)
  // The data of a contract's creation are its code and call nothing.
  if (to === "") return [value]
  if (to === from && data !== "") return [value, ...everything(chain, "a call of the account itself")]
  return [value, called(chain, to, data)]
}

/**
 * `eth.user_op`: the value of each call, and what it does with a token. Everything may move where the calls cannot be read, where the
 * account calls itself, and where a delegate's code runs for the key's own account (EIP-7702).
 */
export function userOperationTransfers(
  operation: Members,
  ownAddresses: () => readonly string[],
): Transfer[] {
  const chain = ethereumChain(integer(operation, "chain_id"))
  const sender = text(operation, "sender")
  const executed = executedCalls(text(operation, "call_data"))
  if ("unread" in executed) return everything(chain, `a user operation: ${executed.unread}`)
  const isOwn = ownAddresses().some((own) => own.toLowerCase() === sender)
  const first = isOwn && text(operation, "init_code") !== "0x" ? everything(chain, "a delegate's code") : []
  const moved = executed.calls.flatMap(({ to, value, data }) =>
    data !== "0x" && (to === sender || to === ZERO)
      ? everything(chain, "a call of the account itself")
      : [{ ...chain, token: NATIVE, amount: value }, called(chain, to, data.slice("0x".length))],
  )
  return [...first, ...moved]
}

/** Accounts of ERC-7821 read it as themselves. */
const ZERO = `0x${"00".repeat(20)}`

/** `eth.eip_7702_authorization`: the account runs the code of a contract, which may move everything; of the zero address none. */
export function authorizationTransfers(authorization: Members): Transfer[] {
  if (BigInt(text(authorization, "address")) === 0n) return []
  return everything(ethereumChain(integer(authorization, "chain_id")), "an authorization (EIP-7702)")
}

/** Signatures without chain id are valid on every chain: transactions before EIP-155, typed data whose domain has none. */
function ethereumChain(chainId: bigint): Chain {
  return { family: "eip155", reference: chainId === 0n ? undefined : String(chainId) }
}

/** A call of a contract, as if the contract were a token. @param data hexadecimal without 0x */
function called(chain: Chain, contract: string, data: string): Transfer {
  const amount = tokenAmount(data)
  const token = tokenOfContract(chain.reference, contract)
  return { ...chain, token, amount, ...(amount === undefined && { by: nameOfCall(data) }) }
}

const SELECTOR_DIGITS = 8

function nameOfCall(data: string): string {
  return data.length < SELECTOR_DIGITS
    ? "data without a function"
    : `function 0x${data.slice(0, SELECTOR_DIGITS)}`
}

/** `tron.tx`. The bytes name no chain: a reference block alone ties a transaction to one. */
export function tronTransfers(transaction: Members): Transfer[] {
  const chain = { family: "tron", reference: undefined } as const
  return list(transaction, "contract").flatMap((contract) => {
    switch (text(contract, "type")) {
      case "TransferContract":
        return [{ ...chain, token: NATIVE, amount: integer(contract, "amount") }]
      case "TriggerSmartContract":
        return [
          { ...chain, token: NATIVE, amount: integer(contract, "call_value") },
          called(chain, text(contract, "contract_address"), text(contract, "data")),
        ]
      case "TransferAssetContract":
        // TRC-10 tokens, which no control names.
        return []
      case "VoteWitnessContract":
      case "WithdrawBalanceContract":
      case "WithdrawExpireUnfreezeContract":
      case "CancelAllUnfreezeV2Contract":
      case "UnfreezeBalanceContract":
      case "FreezeBalanceV2Contract":
      case "UnfreezeBalanceV2Contract":
      case "DelegateResourceContract":
      case "UnDelegateResourceContract":
        // The sun stay the owner's; energy and bandwidth are lent.
        return []
      default:
        return everything(chain, text(contract, "type"))
    }
  })
}

/** The address of Permit2 on the chains that have it at its usual one. It is no token. */
const PERMIT2_CONTRACT = "0x000000000022d473030f116ddee9f6b43ac78ba3"

/** Primary types of Permit2: the member that has token and amount, or a list of such. */
const PERMIT2: Readonly<Record<string, string>> = {
  PermitSingle: "details",
  PermitBatch: "details",
  PermitTransferFrom: "permitted",
  PermitBatchTransferFrom: "permitted",
  PermitWitnessTransferFrom: "permitted",
  PermitBatchWitnessTransferFrom: "permitted",
}

/** Primary types of EIP-2612 and ERC-3009 that have the amount as `value`. */
const WITH_VALUE: ReadonlySet<string> = new Set([
  "Permit",
  "TransferWithAuthorization",
  "ReceiveWithAuthorization",
])

/**
 * `eth.eip_712`: typed data that let others move a token, by the token's own contract (EIP-2612, ERC-3009) or by Permit2. Data of any
 * other type for a token's contract may let others move anything. So may data for the account itself, whose delegate reads them.
 */
export function typedDataTransfers(data: Members, ownAddresses: () => readonly string[]): Transfer[] {
  const domain = member(data, "domain")
  const chain = ethereumChain(integer(domain, "chain_id"))
  const [primaryType, message] = [text(data, "primary_type"), member(data, "message")]
  const by = `typed data ${JSON.stringify(primaryType.slice(0, MAX_NAME))}`
  const permitted = Object.hasOwn(PERMIT2, primaryType) ? PERMIT2[primaryType] : undefined
  const token = text(domain, "verifying_contract")
  if (token !== "" && ownAddresses().some((own) => own.toLowerCase() === token)) return everything(chain, by)
  if (permitted !== undefined) {
    // A token of its own may have a type of such a name.
    const others = token === "" || token === PERMIT2_CONTRACT ? [] : [unknownAmount(chain, token, by)]
    return [...permit2Transfers(member(message, permitted), chain, by), ...others]
  }
  const amount = amountOfMessage(primaryType, message)
  return token === "" ? [] : [{ ...chain, token, amount, ...(amount === undefined && { by }) }]
}

/** Characters of a type's name in a sentence. */
const MAX_NAME = 64

function permit2Transfers(permitted: Value | undefined, chain: Chain, by: string): Transfer[] {
  const all = Array.isArray(permitted) ? (permitted as readonly Value[]) : [permitted]
  return all.map((one) => {
    const [token, amount] = [text(one, "token"), member(one, "amount")]
    if (typeof amount !== "bigint") return unknownAmount(chain, token === "" ? ANY_TOKEN : token, by)
    return { ...chain, token: token === "" ? ANY_TOKEN : token, amount }
  })
}

/** Undefined: the message does not show it. */
function amountOfMessage(primaryType: string, message: Value | undefined): bigint | undefined {
  if (primaryType === "CancelAuthorization") return 0n
  if (!WITH_VALUE.has(primaryType)) return undefined
  const value = member(message, "value")
  if (typeof value === "bigint") return value
  // DAI: all or nothing.
  return primaryType === "Permit" && member(message, "allowed") === false ? 0n : undefined
}
