import { Fault, isFault } from "../../../fault.ts"
import { TransactionType } from "../../../../../proto/gen/countersign/api/v1/enums_pb.ts"
import {
  decodeInstruction,
  type InstructionArgument,
  type InstructionArguments,
  instructionOf,
  newValueBudget,
  type ValueBudget,
} from "../../../contract-interface/decode-instruction.ts"
import { isUnreadable } from "../../../contract-interface/fault.ts"
import type { Idl, IdlInstruction } from "../../../contract-interface/idl.ts"
import { namesOfAccounts } from "../../../contract-interface/idl-accounts.ts"
import type { Interfaces } from "../../../contract-interface/interfaces.ts"
import { elementAt } from "../../../crypto/element.ts"
import {
  accountFlags,
  accountKey,
  readSolanaTransaction,
  type SolanaInstruction,
  type SolanaTransaction,
} from "../../../transaction/solana/transaction.ts"
import { readUnsigned } from "../../../transaction/unsigned.ts"
import { Caseless, fieldNotUsed, type Members, members, type Value } from "../../../policy/expression.ts"
import type { UnsignedTransaction } from "../../../policy/facts/declared.ts"
import type { SendItem } from "../../../policy/facts/send.ts"
import { namedValues, severalNamed, unreadableCall } from "./unreadable.ts"
import { FROM_TABLE, type NamedInstruction } from "../../../transaction/solana/programs.ts"
import { splTransfers, systemTransfers } from "./solana-transfers.ts"

/**
 * The root `solana.tx` of a transaction to be signed or sent; undefined for one of another chain.
 * @throws Fault transaction, also for an instruction that does not fit its program's interface; the refusals of `interfaces`
 */
export function solanaTransactionRoot(
  { unsigned, sent }: { unsigned?: UnsignedTransaction; sent?: SendItem },
  { interfaces }: { interfaces: Interfaces },
): Members | undefined {
  const transaction = sent === undefined ? transactionToSign(unsigned) : sent.solana
  if (transaction === undefined) return undefined
  const { accountKeys, instructions, version, recentBlockhash } = transaction
  const programs = new Set(instructions.map(({ program }) => elementAt(accountKeys, program)))
  const read = instructions.map((one) => readNamed(transaction, one))
  const budget = newValueBudget()
  return members({
    account_keys: accountKeys,
    program_keys: [...programs],
    instructions: instructions.map((one) => instructionValue(transaction, one, interfaces, budget)),
    transfers: systemTransfers(read),
    spl_transfers: splTransfers(read),
    recent_blockhash: recentBlockhash,
    address_table_lookups: lookupValues(transaction),
    address_table_lookup_references: referenceValues(transaction),
    version,
    priority_fee_lamports: fieldNotUsed,
    compute_unit_limit: fieldNotUsed,
    loaded_accounts_data_size_limit: fieldNotUsed,
    heap_size: fieldNotUsed,
  })
}

function transactionToSign(unsigned: UnsignedTransaction | undefined): SolanaTransaction | undefined {
  if (unsigned?.type !== TransactionType.SOLANA) return undefined
  return readSolanaTransaction(readUnsigned(unsigned.text))
}

/** An instruction with keys in place of indexes. */
function readNamed(
  transaction: SolanaTransaction,
  { program, accounts, data }: SolanaInstruction,
): NamedInstruction {
  return {
    program: elementAt(transaction.accountKeys, program),
    accounts: accounts.map((index) => accountKey(transaction, index) ?? FROM_TABLE),
    data,
  }
}

function instructionValue(
  transaction: SolanaTransaction,
  instruction: SolanaInstruction,
  interfaces: Interfaces,
  budget: ValueBudget,
): Members {
  const named = readNamed(transaction, instruction)
  const { program, accounts, data } = named
  return members({
    program_key: program,
    accounts: instruction.accounts.map((index, at) =>
      members({ account_key: elementAt(accounts, at), ...accountFlags(transaction, index) }),
    ),
    instruction_data_hex: Buffer.from(data).toString("hex"),
    address_table_lookups: lookupValues(transaction),
    parsed_instruction_data: parsedValue(named, interfaces.idl(program), budget) ?? fieldNotUsed,
  })
}

/**
 * Undefined: the program has no interface, or the interface does not know the instruction. An interface with an instruction that no data
 * can be recognized as leaves it in doubt.
 */
function parsedValue(
  { program, accounts, data }: NamedInstruction,
  idl: Idl | undefined,
  budget: ValueBudget,
): Members | undefined {
  if (idl === undefined) return undefined
  const called = instructionOf(idl, data)
  if (called === undefined) {
    const [fault] = idl.faults
    return fault && unreadableInstruction(`an instruction of ${program}`, fault)
  }
  const discriminator = Buffer.from(called.discriminator).toString("hex")
  if (isUnreadable(called)) {
    const unread = unreadableInstruction(called.name ?? discriminator, called.fault)
    return called.name === undefined
      ? unread
      : new Map([...unread, ["instruction_name", called.name], ["discriminator", discriminator]])
  }
  try {
    return members({
      instruction_name: called.name,
      discriminator,
      named_accounts: accountValues(called, accounts),
      program_call_args: argumentValues(called, decodeInstruction(called, idl, data, budget)),
    })
  } catch (cause) {
    if (!isFault(cause, "call")) throw cause
    const sentence = `the call of ${called.name} does not fit the interface of ${program}: ${cause.message}`
    throw new Fault("transaction", sentence, cause.place, cause)
  }
}

function unreadableInstruction(called: string, { message }: Fault<"interface">): Members {
  const unreadable = unreadableCall(called, message)
  return members({
    instruction_name: unreadable,
    discriminator: unreadable,
    named_accounts: unreadable,
    program_call_args: unreadable,
  })
}

/** Keys by the names of their accounts. Where two groups have an account of one name, each is named by its path. */
function accountValues({ name: called, accounts }: IdlInstruction, keys: readonly string[]): Members {
  const names = namesOfAccounts(accounts)
  const named = names.map((name, index) => [name, keys[index] ?? fieldNotUsed] as const)
  const shared = accounts.filter(({ name }, index) => name !== names[index])
  return namedValues(
    [...named, ...shared.map(({ name }) => [name, unreadableCall(called, severalNamed(name))] as const)],
    called,
  )
}

function argumentValues({ name: called }: IdlInstruction, read: InstructionArguments): Members {
  return new Map(
    Array.from(read, ([name, value]) => [
      name,
      value === undefined ? unreadableCall(called, `the data omit ${name}`) : toValue(value),
    ]),
  )
}

function mapValue(map: ReadonlyMap<string, InstructionArgument>): Members {
  return new Map(Array.from(map, ([name, value]) => [name, toValue(value)]))
}

function toValue(argument: InstructionArgument): Value {
  if (argument instanceof Map) return mapValue(argument)
  if (Array.isArray(argument)) return (argument as readonly InstructionArgument[]).map(toValue)
  if (typeof argument !== "object") return argument
  return "hex" in argument ? new Caseless(argument.hex) : []
}

function lookupValues({ lookups }: SolanaTransaction): Value {
  return lookups.map(({ table, writable, readonly }) =>
    members({
      address_table_key: table,
      writable_indexes: writable.map(BigInt),
      readonly_indexes: readonly.map(BigInt),
    }),
  )
}

function referenceValues({ lookups }: SolanaTransaction): Value {
  return lookups.flatMap(({ table, ...indexes }) =>
    (["writable", "readonly"] as const).flatMap((kind) =>
      indexes[kind].map((index) =>
        members({ address_table_key: table, index: BigInt(index), writable: kind === "writable" }),
      ),
    ),
  )
}
