// Batches of Solana's token programs: instructions in a batch must move the same tokens as without it.
import { splTransfers } from "../../../signer/core/modules/transactions/facts/solana-transfers.ts"
import { solanaTransfers } from "../../../signer/core/modules/policies/velocity/solana-transfers.ts"
import { members } from "../../../signer/core/policy/language/value.ts"
import type { NamedInstruction } from "../../../signer/core/transaction/solana/programs.ts"
import { type Reader, requireSame } from "../engine/reader.ts"
import { isNoError } from "./refusals.ts"

const TOKEN = "TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA"
const BATCH = 255
/** Instructions of one batch, and bytes of each: both lengths are one byte. */
const [MAX_INSTRUCTIONS, MAX_BYTES] = [8, 64]

/** Reads instructions: number of accounts (1) || length (1) || data, as those of a batch are written. */
function instructionsOf(input: Buffer): NamedInstruction[] {
  const found: NamedInstruction[] = []
  for (let at = 0; at + 2 <= input.length && found.length < MAX_INSTRUCTIONS; ) {
    const [accounts, length] = [input[at]! % 6, input[at + 1]! % MAX_BYTES]
    const data = input.subarray(at + 2, at + 2 + length)
    // A batch within a batch is left out: only single instructions are compared.
    if (data.length === length && data[0] !== BATCH)
      found.push({ program: TOKEN, accounts: names(accounts), data })
    at += 2 + length
  }
  return found
}

const names = (count: number) => Array.from({ length: count }, (_, index) => `account ${index}`)

function batchOf(instructions: readonly NamedInstruction[]): NamedInstruction {
  const parts = instructions.map(({ accounts, data }) =>
    Buffer.concat([Buffer.of(accounts.length, data.length), data]),
  )
  const accounts = instructions.flatMap((each) => each.accounts)
  return { program: TOKEN, accounts, data: Buffer.concat([Buffer.of(BATCH), ...parts]) }
}

/** Transfers as policies and velocity controls read them from the instructions. */
function transfersOf(instructions: readonly NamedInstruction[]) {
  const transaction = members({
    instructions: instructions.map(({ program, accounts, data }) =>
      members({
        program_key: program,
        accounts: accounts.map((account_key) => members({ account_key })),
        instruction_data_hex: Buffer.from(data).toString("hex"),
      }),
    ),
  })
  return { transfers: splTransfers(instructions), counted: solanaTransfers(transaction) }
}

type Transfers =
  | { apart: ReturnType<typeof transfersOf>; batched: ReturnType<typeof transfersOf> }
  | undefined

export const tokenBatches: Reader<Transfers> = {
  maxLength: 400,
  seeds: () => [
    // Transfer, TransferChecked, and a mint of new tokens.
    Buffer.from("0309030500000000000000", "hex"),
    Buffer.from("040a0c0500000000000000060309030700000000000000", "hex"),
    Buffer.from("0309070500000000000000", "hex"),
  ],
  read(input) {
    const instructions = instructionsOf(input)
    if (instructions.length === 0) return undefined
    return { apart: transfersOf(instructions), batched: transfersOf([batchOf(instructions)]) }
  },
  isRefusal: isNoError,
  judge(_, outcome) {
    if ("value" in outcome && outcome.value !== undefined)
      requireSame(
        outcome.value.batched,
        outcome.value.apart,
        "a batch moves other tokens than its instructions",
      )
  },
}
