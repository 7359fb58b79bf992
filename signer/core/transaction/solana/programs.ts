import { elementAt } from "../../crypto/element.ts"

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
