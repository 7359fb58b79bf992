import { elementAt } from "../../crypto/element.ts"
import { type Members, members } from "../language/value.ts"

/** An instruction with the keys of its program and accounts, Base58. */
export type NamedInstruction = {
  readonly program: string
  readonly accounts: readonly string[]
  readonly data: Uint8Array
}

export const SYSTEM_PROGRAM = "11111111111111111111111111111111"
export const TOKEN_PROGRAMS: ReadonlySet<string> = new Set([
  "TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA",
  "TokenzQdBNbLqP5VEhdkAS6EPFLC1PHnBqCXEpPxuEb",
])

/** Text in place of a key that comes from a look-up table: only the chain knows that key. */
export const FROM_TABLE = "ADDRESS_TABLE_LOOKUP"

/** Number of the instruction of the token programs that runs several others (SIMD-0266). */
const BATCH = 255

/**
 * The instructions, with those of token batches in place of the batches. The data of a batch:
 *
 *     ff
 *     number of accounts (1) | length | data      for each instruction
 *
 * Each instruction takes the next accounts of the batch. The chain refuses a batch that has fewer accounts or bytes than
 * it names; the instructions before that fault are listed.
 */
export function withoutBatches(instructions: readonly NamedInstruction[]): NamedInstruction[] {
  return instructions.flatMap((instruction) => {
    const { program, data } = instruction
    const isBatch = TOKEN_PROGRAMS.has(program) && data[0] === BATCH
    return isBatch ? withoutBatches(batched(instruction)) : [instruction]
  })
}

function batched({ program, accounts, data }: NamedInstruction): NamedInstruction[] {
  const found: NamedInstruction[] = []
  let place = 0
  for (let at = 1; at + 2 <= data.length; ) {
    const [accountsEnd, start] = [place + elementAt(data, at), at + 2]
    const end = start + elementAt(data, at + 1)
    if (end > data.length || accountsEnd > accounts.length) break
    found.push({ program, accounts: accounts.slice(place, accountsEnd), data: data.subarray(start, end) })
    place = accountsEnd
    at = end
  }
  return found
}

// Instructions of the System Program: the number in four bytes, little-endian, then the lamports in eight.
const TRANSFER = 2
const TRANSFER_WITH_SEED = 11

/** `solana.tx.transfers`: transfers of the System Program. */
export function systemTransfers(instructions: readonly NamedInstruction[]): Members[] {
  return instructions.flatMap(({ program, accounts, data }) => {
    if (program !== SYSTEM_PROGRAM || data.length < 12) return []
    const number = Buffer.from(data).readUInt32LE()
    // A transfer from an address with a seed names the base key between its accounts.
    const to = number === TRANSFER ? accounts[1] : number === TRANSFER_WITH_SEED ? accounts[2] : undefined
    const from = accounts[0]
    if (from === undefined || to === undefined) return []
    return [members({ from, to, amount: uint64(data, 4) })]
  })
}

/** Shapes of transfers of the token programs, by the bytes that the data begin with. */
const SPL_TRANSFERS = [
  // Transfer: amount; source, destination, owner, signers.
  { begins: [3], mint: undefined, to: 1, length: 9 },
  // TransferChecked: amount, decimals; source, mint, destination, owner, signers.
  { begins: [12], mint: 1, to: 2, length: 10 },
  // TransferFeeExtension, TransferCheckedWithFee: amount, decimals, fee; accounts as of TransferChecked.
  { begins: [26, 1], mint: 1, to: 2, length: 19 },
] as const

/**
 * `solana.tx.spl_transfers`: transfers of the programs Token and Token-2022, also within batches. `from` and `to` are token
 * accounts.
 */
export function splTransfers(instructions: readonly NamedInstruction[]): Members[] {
  return withoutBatches(instructions).flatMap(({ program, accounts, data }) => {
    if (!TOKEN_PROGRAMS.has(program)) return []
    const shape = SPL_TRANSFERS.find(({ begins }) => begins.every((byte, index) => data[index] === byte))
    if (shape === undefined || data.length < shape.length || accounts.length < shape.to + 2) return []
    return [
      members({
        from: elementAt(accounts, 0),
        to: elementAt(accounts, shape.to),
        amount: uint64(data, shape.begins.length),
        owner: elementAt(accounts, shape.to + 1),
        signers: accounts.slice(shape.to + 2),
        token_mint: shape.mint === undefined ? "" : elementAt(accounts, shape.mint),
      }),
    ]
  })
}

/** Little-endian. */
function uint64(data: Uint8Array, offset: number): bigint {
  return Buffer.from(data).readBigUInt64LE(offset)
}
