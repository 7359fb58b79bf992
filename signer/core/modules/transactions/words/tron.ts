// Tron transactions in words.
import { counted } from "../../../counted.ts"
import { isFault } from "../../../fault.ts"
import { tokenCall } from "../facts/token-call.ts"
import { readTronTransaction, type TronContract } from "../../../transaction/tron/transaction.ts"
import { sunText } from "../../../words/chains.ts"
import { labelOf } from "../../../words/labels.ts"
import { listed, quoted, timeText } from "../../../words/text.ts"
import { bytesText, identified, scalarText } from "../../../words/values.ts"
import type { Content, DescriptionLine, NameOf, WordsContext } from "../../../words/words.ts"
import { factOf } from "./content.ts"

/** The `raw_data` of a transaction. @throws Fault transaction */
export function unsignedTron(bytes: Uint8Array, { nameOf }: WordsContext): Content {
  const { contract, expiration, timestamp, feeLimit, data, refBlockBytes, refBlockHash } =
    readTronTransaction(bytes)
  const words = contractWords(contract, nameOf)
  return {
    title: `Tron transaction (${contract.type})`,
    summary: `${words.summary} on Tron`,
    facts: [
      { name: "Chain", value: "Tron: a reference block ties it to a network" },
      ...words.facts,
      ...fieldFacts(contract.fields, "", nameOf),
      { name: "Fee at most", value: `${sunText(feeLimit)} of energy, and the bandwidth` },
      ...factOf("Permission", contract.permissionId === 0n ? "" : String(contract.permissionId)),
      ...factOf("Memo", data === "" ? "" : memoText(data)),
      { name: "Expires", value: timeText(Number(expiration)) },
      { name: "Made at", value: timeText(Number(timestamp)) },
      { name: "Reference block", value: `${refBlockBytes} ${refBlockHash}` },
    ],
    warnings: words.warnings,
  }
}

type ContractWords = { summary: string; facts: readonly DescriptionLine[]; warnings: readonly string[] }

const plain = (summary: string, ...warnings: string[]): ContractWords => ({ summary, facts: [], warnings })

function contractWords({ type, fields }: TronContract, nameOf: NameOf): ContractWords {
  const owner = identified(fields.owner_address, nameOf)
  switch (type) {
    case "TransferContract":
      return plain(`send ${sunText(fields.amount)} from ${owner} to ${identified(fields.to_address, nameOf)}`)
    case "TransferAssetContract": {
      const { amount, asset_name: id, to_address: to } = fields
      const units = counted(amount, "base unit")
      return plain(`send ${units} of TRC-10 token ${quoted(id)} from ${owner} to ${identified(to, nameOf)}`)
    }
    case "TriggerSmartContract":
      return callWords(fields, nameOf)
    case "AccountPermissionUpdateContract":
      return plain(`change who may sign for ${owner}`, "Other keys can control this account afterwards.")
    case "FreezeBalanceV2Contract":
      return plain(`stake ${sunText(fields.frozen_balance)} of ${owner} for ${fields.resource}`)
    case "UnfreezeBalanceV2Contract":
      return plain(`end the stake of ${sunText(fields.unfreeze_balance)} of ${owner} for ${fields.resource}`)
    case "WithdrawExpireUnfreezeContract":
      return plain(`take back what ${owner} staked and has waited for`)
    case "CancelAllUnfreezeV2Contract":
      return plain(`stake again all that ${owner} waits for`)
    case "UnfreezeBalanceContract": {
      const { receiver_address: receiver } = fields
      const lent = receiver === undefined ? "" : `, lent to ${identified(receiver, nameOf)}`
      return plain(`end the stake of ${owner} from before Stake 2.0 for ${fields.resource}${lent}`)
    }
    case "VoteWitnessContract":
      return plain(votesText(owner, fields.votes, nameOf))
    case "WithdrawBalanceContract":
      return plain(`collect the rewards of ${owner}`)
    case "DelegateResourceContract":
      return plain(
        `lend ${fields.resource} of ${sunText(fields.balance)} from ${owner} to ${identified(fields.receiver_address, nameOf)}`,
      )
    case "UnDelegateResourceContract":
      return plain(
        `take ${fields.resource} of ${sunText(fields.balance)} back from ${identified(fields.receiver_address, nameOf)} for ${owner}`,
      )
    default:
      return plain(`run ${String(type satisfies never)}`)
  }
}

type Votes = Extract<TronContract, { type: "VoteWitnessContract" }>["fields"]["votes"]

/** New votes replace all earlier ones of the account. */
function votesText(owner: string, votes: Votes, nameOf: NameOf): string {
  const given = votes.map(
    ({ vote_address: witness, vote_count: count }) =>
      `${counted(count, "vote")} to ${identified(witness, nameOf)}`,
  )
  return `end the votes of ${owner}, and give ${given.length === 0 ? "none" : listed(given)}`
}

type Call = Extract<TronContract, { type: "TriggerSmartContract" }>["fields"]

function callWords(
  {
    contract_address: token,
    call_value: value,
    call_token_value: tokens,
    token_id: id,
    data,
    owner_address: owner,
  }: Call,
  nameOf: NameOf,
): ContractWords {
  const contract = identified(token, nameOf)
  const paid = [
    ...(value > 0n ? [`send ${sunText(value)} to ${contract}`] : []),
    ...(tokens > 0n ? [`send ${counted(tokens, "base unit")} of TRC-10 token ${id} to ${contract}`] : []),
  ]
  const call = tokenCallWords(data, contract, identified(owner, nameOf), nameOf)
  return { ...call, summary: [...paid, call.summary].join(" and ") }
}

const UNKNOWN =
  "Nobody can see what this call does: the function is none of the known ones of tokens, and contracts of Tron have no interfaces here."

const ALLOWANCE = "The other address can take these tokens later, without another signature."

function tokenCallWords(data: string, contract: string, owner: string, nameOf: NameOf): ContractWords {
  const unknown = `call an unknown function (${data.slice(0, 8) || "no selector"}, ${counted(data.length / 2, "byte")}) of ${contract}`
  try {
    const { function_name: name, contract_call_args: args } = tokenCall(data)
    const address = (member: string) => identified(scalarText(args.get(member)), nameOf)
    const units = counted(BigInt(scalarText(args.get("value") ?? 0)), "base unit")
    switch (name) {
      case "transfer":
        return {
          summary: `transfer ${units} of token ${contract} from ${owner} to ${address("to")}`,
          facts: [],
          warnings: [],
        }
      case "transferFrom":
        return {
          summary: `transfer ${units} of token ${contract} from ${address("from")} to ${address("to")}`,
          facts: [],
          warnings: [],
        }
      case "approve":
        return {
          summary: `let ${address("spender")} take ${units} of token ${contract}`,
          facts: [],
          warnings: [ALLOWANCE],
        }
      case "increaseAllowance":
      case "increaseApproval":
        return {
          summary: `let ${address("spender")} take ${units} of token ${contract} more than before`,
          facts: [],
          warnings: [ALLOWANCE],
        }
      case "":
        return { summary: unknown, facts: [], warnings: [UNKNOWN] }
      default: {
        const shown = Array.from(
          args,
          ([member, value]) => `${member} ${identified(scalarText(value), nameOf)}`,
        )
        const summary = `call ${name} of token ${contract} as ${owner}: ${shown.join(", ") || "no arguments"}`
        return { summary, facts: [], warnings: args.has("spender") ? [ALLOWANCE] : [] }
      }
    }
  } catch (error) {
    if (!isFault(error, "transaction")) throw error
    return {
      summary: unknown,
      facts: [],
      warnings: [`Nobody can see what this call does: ${error.message}.`],
    }
  }
}

/** Every field of the contract's type, those of permissions among them. */
function fieldFacts(value: unknown, name: string, nameOf: NameOf): DescriptionLine[] {
  if (value === undefined || value === "") return []
  if (Array.isArray(value))
    return value.flatMap((item: unknown, at) => fieldFacts(item, `${name} ${at + 1}`, nameOf))
  if (typeof value === "object" && value !== null)
    return Object.entries(value).flatMap(([member, one]) => {
      const label = labelOf(member.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase()))
      return fieldFacts(one, name === "" ? label : `${name} › ${label}`, nameOf)
    })
  if (typeof value !== "string") return [{ name, value: scalarText(value) }]
  return [
    { name, value: /^T[1-9A-HJ-NP-Za-km-z]{33}$/.test(value) ? identified(value, nameOf) : bytesText(value) },
  ]
}

function memoText(hex: string): string {
  const text = Buffer.from(hex, "hex").toString()
  return Buffer.from(text).toString("hex") === hex ? quoted(text) : hex
}
