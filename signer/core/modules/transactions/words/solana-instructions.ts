// Instructions of Solana programs in words: System, the token programs, and what people meet beside them.
import { base58 } from "@scure/base"
import { counted } from "../../../counted.ts"
import type { NamedInstruction } from "../../../transaction/solana/programs.ts"
import { FROM_TABLE, SYSTEM_PROGRAM, TOKEN_PROGRAMS } from "../../../transaction/solana/programs.ts"
import { lamportsText, wholeUnits } from "../../../words/chains.ts"
import { quoted } from "../../../words/text.ts"
import { bytesText, identified } from "../../../words/values.ts"
import type { NameOf } from "../../../words/words.ts"

/** Programs that transactions call beside the System Program, by their addresses. */
const PROGRAMS: { readonly [address: string]: string } = {
  [SYSTEM_PROGRAM]: "System Program",
  TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA: "Token Program",
  TokenzQdBNbLqP5VEhdkAS6EPFLC1PHnBqCXEpPxuEb: "Token-2022 Program",
  ATokenGPvbdGVxr1b2hvZbsiqW5xWH25efTNsLJA8knL: "Associated Token Program",
  ComputeBudget111111111111111111111111111111: "Compute Budget Program",
  MemoSq4gqABAXKb96qnH8TysNcWxMyWCqXgDLGmfcHr: "Memo Program",
  Memo1UhkJRfHyvLMcVucJwxXeuD728EqVddwQDwFMNo: "Memo Program, version 1",
  Stake11111111111111111111111111111111111111: "Stake Program",
  Vote111111111111111111111111111111111111111: "Vote Program",
  BPFLoaderUpgradeab1e11111111111111111111111: "Upgradeable Loader",
  AddressLookupTab1e1111111111111111111111111: "Address Lookup Table Program",
}
export const COMPUTE_BUDGET = "ComputeBudget111111111111111111111111111111"
const MEMOS: ReadonlySet<string> = new Set([
  "MemoSq4gqABAXKb96qnH8TysNcWxMyWCqXgDLGmfcHr",
  "Memo1UhkJRfHyvLMcVucJwxXeuD728EqVddwQDwFMNo",
])
const STAKE_PROGRAM = "Stake11111111111111111111111111111111111111"
const ASSOCIATED_TOKEN = "ATokenGPvbdGVxr1b2hvZbsiqW5xWH25efTNsLJA8knL"

/** "System Program (1111…)"; the address alone of a program without a known name. */
export function programText(program: string): string {
  const name = Object.hasOwn(PROGRAMS, program) ? PROGRAMS[program] : undefined
  return name === undefined ? bytesText(program) : `${name} (${program})`
}

/** An instruction of a known program in words; undefined: its meaning is the program's own. */
export function instructionText(instruction: NamedInstruction, nameOf: NameOf): string | undefined {
  const { program, data } = instruction
  const reader = new Reader(instruction, nameOf)
  if (program === SYSTEM_PROGRAM) return data.length < 4 ? undefined : SYSTEM[reader.uint32(0)]?.(reader)
  if (TOKEN_PROGRAMS.has(program)) return tokenText(reader)
  if (program === STAKE_PROGRAM) return data.length < 4 ? undefined : STAKE[reader.uint32(0)]?.(reader)
  if (program === ASSOCIATED_TOKEN) return ASSOCIATED[reader.byte(0)]?.(reader)
  if (MEMOS.has(program)) return `memo ${quoted(Buffer.from(data).toString())}`
  if (program === COMPUTE_BUDGET) return COMPUTE[reader.byte(0)]?.(reader)
  return undefined
}

/** Reads accounts and numbers, little-endian; 0 and "an account that is missing" where an instruction is too short. */
class Reader {
  readonly #accounts: readonly string[]
  readonly #data: Buffer
  readonly #nameOf: NameOf

  constructor({ accounts, data }: NamedInstruction, nameOf: NameOf) {
    this.#accounts = accounts
    this.#data = Buffer.from(data)
    this.#nameOf = nameOf
  }

  account(index: number): string {
    const key = this.#accounts[index]
    if (key === undefined) return "an account that is missing"
    return key === FROM_TABLE ? "an account of a table" : identified(key, this.#nameOf)
  }

  byte(at: number): number {
    return this.#data[at] ?? 0
  }

  uint32(at: number): number {
    return this.#data.length < at + 4 ? 0 : this.#data.readUInt32LE(at)
  }

  uint64(at: number): bigint {
    return this.#data.length < at + 8 ? 0n : this.#data.readBigUInt64LE(at)
  }

  key(at: number): string {
    const bytes = this.#data.subarray(at, at + 32)
    return bytes.length < 32 ? "a key that is missing" : identified(base58.encode(bytes), this.#nameOf)
  }

  /** Place behind a key, the length of a text in eight bytes, and the text. */
  afterSeed(at: number): number {
    return at + 40 + this.uint32(at + 32)
  }
}

type InWords = (reader: Reader) => string | undefined

/** Instructions of the System Program, by number. */
const SYSTEM: { readonly [number: number]: InWords } = {
  0: (r) =>
    `create account ${r.account(1)} of program ${r.key(20)} with ${lamportsText(r.uint64(4))} from ${r.account(0)}`,
  1: (r) => `give account ${r.account(0)} to program ${r.key(4)}`,
  2: (r) => `send ${lamportsText(r.uint64(4))} from ${r.account(0)} to ${r.account(1)}`,
  3: (r) =>
    `create account ${r.account(1)} with ${lamportsText(r.uint64(r.afterSeed(4)))} from ${r.account(0)}`,
  4: (r) => `advance the nonce of account ${r.account(0)}`,
  5: (r) => `withdraw ${lamportsText(r.uint64(4))} from nonce account ${r.account(0)} to ${r.account(1)}`,
  6: (r) => `make account ${r.account(0)} a nonce account of ${r.key(4)}`,
  7: (r) => `give nonce account ${r.account(0)} to ${r.key(4)}`,
  8: (r) => `reserve ${counted(r.uint64(4), "byte")} for account ${r.account(0)}`,
  // AllocateWithSeed: key, seed, bytes, program. AssignWithSeed: key, seed, program.
  9: (r) => `give account ${r.account(0)} to program ${r.key(r.afterSeed(4) + 8)}`,
  10: (r) => `give account ${r.account(0)} to program ${r.key(r.afterSeed(4))}`,
  11: (r) => `send ${lamportsText(r.uint64(4))} from ${r.account(0)} to ${r.account(2)}`,
  12: (r) => `change nonce account ${r.account(0)} to the present form`,
}

const stakeRight = (r: Reader, at: number) => (r.uint32(at) === 0 ? "stake" : "withdraw")

/** Instructions of the Stake Program, by number. Others have words of the program's own. */
const STAKE: { readonly [number: number]: InWords } = {
  0: (r) =>
    `make account ${r.account(0)} a stake account: ${r.key(4)} may stake and ${r.key(36)} may withdraw`,
  1: (r) => `give ${r.key(4)} the right to ${stakeRight(r, 36)} of stake account ${r.account(0)}`,
  2: (r) => `delegate stake account ${r.account(0)} to vote account ${r.account(1)}`,
  3: (r) =>
    `move ${lamportsText(r.uint64(4))} from stake account ${r.account(0)} to stake account ${r.account(1)}`,
  4: (r) => `withdraw ${lamportsText(r.uint64(4))} from stake account ${r.account(0)} to ${r.account(1)}`,
  5: (r) => `end the delegation of stake account ${r.account(0)}`,
  7: (r) => `move everything from stake account ${r.account(1)} to stake account ${r.account(0)}`,
  9: (r) =>
    `make account ${r.account(0)} a stake account: ${r.account(2)} may stake and ${r.account(3)} may withdraw`,
  10: (r) => `give ${r.account(3)} the right to ${stakeRight(r, 4)} of stake account ${r.account(0)}`,
  16: (r) =>
    `move ${lamportsText(r.uint64(4))} of stake from stake account ${r.account(0)} to stake account ${r.account(1)}`,
  17: (r) =>
    `move ${lamportsText(r.uint64(4))} from stake account ${r.account(0)} to stake account ${r.account(1)}`,
}

/** Instructions of the Associated Token Program: the first one has no data, or a zero. */
const ASSOCIATED: { readonly [number: number]: InWords } = {
  0: (r) => `create token account ${r.account(1)} of ${r.account(2)} for token ${r.account(3)}`,
  1: (r) =>
    `create token account ${r.account(1)} of ${r.account(2)} for token ${r.account(3)}, if there is none`,
  2: (r) =>
    `send what token account ${r.account(0)} holds of token ${r.account(1)} to token account ${r.account(2)}`,
}

/** Rights over accounts and mints (`AuthorityType` of the token programs, from the fifth on of Token-2022); beyond these, the number. */
const AUTHORITIES = [
  "mint tokens",
  "freeze accounts",
  "own the account",
  "close the account",
  "change the fee of transfers",
  "withdraw the fees of transfers",
  "close the mint",
  "change the interest rate",
  "move and burn the tokens of every account",
  "change confidential transfers",
  "change the program that transfers call",
  "change the fees of confidential transfers",
  "change the place of the metadata",
  "change the group",
  "change the membership in a group",
  "change the amounts that are shown",
  "pause the token",
]

const unchecked = (r: Reader) => `${counted(r.uint64(1), "base unit")} of a token that the bytes do not name`
const checked =
  (mint: number): InWords =>
  (r) => {
    const [units, decimals] = [r.uint64(1), r.byte(9)]
    return `${wholeUnits(units, decimals)} (${counted(units, "base unit")}) of token ${r.account(mint)}`
  }

/** Instructions of the token programs that move tokens or rights, by number. */
const TOKEN: { readonly [number: number]: InWords } = {
  3: (r) => `send ${unchecked(r)} from token account ${r.account(0)} to token account ${r.account(1)}`,
  4: (r) => `let ${r.account(1)} take ${unchecked(r)} from token account ${r.account(0)}`,
  5: (r) => `let nobody else take tokens from token account ${r.account(0)}`,
  6: (r) =>
    `${r.byte(2) === 0 ? "end" : `give ${r.key(3)}`} the right to ${AUTHORITIES[r.byte(1)] ?? `do what right ${r.byte(1)} allows`} of ${r.account(0)}`,
  7: (r) =>
    `mint ${counted(r.uint64(1), "base unit")} of token ${r.account(0)} to token account ${r.account(1)}`,
  8: (r) =>
    `burn ${counted(r.uint64(1), "base unit")} of token ${r.account(1)} from token account ${r.account(0)}`,
  1: (r) => `make ${r.account(0)} a token account of ${r.account(2)} for token ${r.account(1)}`,
  9: (r) => `close token account ${r.account(0)} and send what it holds to ${r.account(1)}`,
  10: (r) => `freeze token account ${r.account(0)} of token ${r.account(1)}`,
  11: (r) => `end the freeze of token account ${r.account(0)} of token ${r.account(1)}`,
  12: (r) => `send ${checked(1)(r)} from token account ${r.account(0)} to token account ${r.account(2)}`,
  13: (r) => `let ${r.account(2)} take ${checked(1)(r)} from token account ${r.account(0)}`,
  14: (r) => `mint ${checked(0)(r)} to token account ${r.account(1)}`,
  15: (r) => `burn ${checked(1)(r)} from token account ${r.account(0)}`,
  16: (r) => `make ${r.account(0)} a token account of ${r.key(1)} for token ${r.account(1)}`,
  17: (r) => `count the SOL that token account ${r.account(0)} received`,
  18: (r) => `make ${r.account(0)} a token account of ${r.key(1)} for token ${r.account(1)}`,
  22: (r) => `keep the owner of token account ${r.account(0)} for ever`,
}

const OF_PROGRAM = "The program can take everything that the account holds, without another signature."
const OF_KEY = "The other key has this right from then on, and uses it without another signature."
const OF_DELEGATE = "The other key can take these tokens later, without another signature."

/** Instructions that give a right to somebody else, by number, with the warning of each. */
const SYSTEM_RIGHTS: { readonly [number: number]: string } = {
  1: OF_PROGRAM,
  7: OF_KEY,
  9: OF_PROGRAM,
  10: OF_PROGRAM,
}
/** Authorize, AuthorizeChecked. */
const STAKE_RIGHTS: { readonly [number: number]: string } = { 1: OF_KEY, 10: OF_KEY }
const TOKEN_RIGHTS: { readonly [number: number]: string } = { 4: OF_DELEGATE, 6: OF_KEY, 13: OF_DELEGATE }

/** Warnings for approvers of an instruction that gives a right to another key or program. */
export function rightsWarnings(instruction: NamedInstruction): string[] {
  const { program, data } = instruction
  const reader = new Reader(instruction, () => undefined)
  const warning = rightsOf(program, data.length, reader)
  return warning === undefined ? [] : [warning]
}

function rightsOf(program: string, length: number, reader: Reader): string | undefined {
  if (TOKEN_PROGRAMS.has(program)) return isRightEnded(reader) ? undefined : TOKEN_RIGHTS[reader.byte(0)]
  const table =
    program === SYSTEM_PROGRAM ? SYSTEM_RIGHTS : program === STAKE_PROGRAM ? STAKE_RIGHTS : undefined
  return length < 4 ? undefined : table?.[reader.uint32(0)]
}

/** SetAuthority without a new key. */
const isRightEnded = (r: Reader) => r.byte(0) === 6 && r.byte(2) === 0

const TRANSFER_FEE_EXTENSION = 26
const TRANSFER_CHECKED_WITH_FEE = 1

function tokenText(r: Reader): string | undefined {
  if (r.byte(0) !== TRANSFER_FEE_EXTENSION) return TOKEN[r.byte(0)]?.(r)
  if (r.byte(1) !== TRANSFER_CHECKED_WITH_FEE) return undefined
  const [units, decimals] = [r.uint64(2), r.byte(10)]
  return `send ${wholeUnits(units, decimals)} (${counted(units, "base unit")}) of token ${r.account(1)} from token account ${r.account(0)} to token account ${r.account(2)}, with a fee of ${counted(r.uint64(11), "base unit")}`
}

const COMPUTE: { readonly [number: number]: InWords } = {
  1: (r) => `ask for ${counted(r.uint32(1), "byte")} of heap`,
  2: (r) => `limit the compute units to ${r.uint32(1)}`,
  3: (r) => `pay ${r.uint64(1)} micro-lamports for each compute unit`,
  4: (r) => `limit the loaded account data to ${counted(r.uint32(1), "byte")}`,
}
