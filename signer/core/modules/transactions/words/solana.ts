// Solana transactions in words.
import { isFault } from "../../../fault.ts"
import {
  decodeInstruction,
  type InstructionArgument,
  instructionOf,
  newValueBudget,
  type ValueBudget,
} from "../../../contract-interface/decode-instruction.ts"
import { isUnreadable } from "../../../contract-interface/fault.ts"
import { namesOfAccounts } from "../../../contract-interface/idl-accounts.ts"
import { counted } from "../../../counted.ts"
import { elementAt } from "../../../crypto/element.ts"
import { FROM_TABLE, type NamedInstruction, withoutBatches } from "../../../transaction/solana/programs.ts"
import { readSolanaSend, type SolanaSendParameters } from "../../../send/solana-send.ts"
import {
  accountKey,
  readSolanaTransaction,
  type SolanaTransaction,
} from "../../../transaction/solana/transaction.ts"
import { chainText, lamportsText } from "../../../words/chains.ts"
import { listed, nameText, quoted } from "../../../words/text.ts"
import { bytesText, digested, identified, scalarText } from "../../../words/values.ts"
import type { Content, DescriptionLine, NameOf, WordsContext } from "../../../words/words.ts"
import { sourceOf } from "./calls.ts"
import { factOf, readContent } from "./content.ts"
import { COMPUTE_BUDGET, instructionText, programText, rightsWarnings } from "./solana-instructions.ts"

const ANY_CLUSTER = "Solana: the bytes name no cluster"

/** A transaction as it is sent. @throws Fault transaction */
export function unsignedSolana(bytes: Uint8Array, context: WordsContext): Content {
  return solanaContent(readSolanaTransaction(bytes), ANY_CLUSTER, context)
}

/** A transaction that is signed and broadcast. */
export function solanaSend(parameters: SolanaSendParameters, context: WordsContext): Content {
  return readContent("Send", () => {
    const { transaction } = readSolanaSend(parameters)
    const { recentBlockhash } = parameters
    const content = solanaContent(transaction, chainText(parameters.caip2), context)
    const later =
      recentBlockhash === undefined
        ? []
        : [{ name: "Block hash of the request", value: bytesText(recentBlockhash) }]
    return { ...content, title: "Send", facts: [...content.facts, ...later] }
  })
}

/** @param transaction also the message alone */
export function solanaContent(transaction: SolanaTransaction, chain: string, context: WordsContext): Content {
  const { version, accountKeys, required, recentBlockhash, lookups } = transaction
  const { nameOf } = context
  const instructions = withoutBatches(transaction.instructions.map((one) => named(transaction, one)))
  const budget = newValueBudget()
  const words = instructions.map((one) => instructionWords(one, budget, context))
  const shown = words.filter((_, index) => elementAt(instructions, index).program !== COMPUTE_BUDGET)
  return {
    title: "Solana transaction",
    summary: `${listed(shown.map(({ summary }) => summary))} on ${chain}`,
    facts: [
      { name: "Chain", value: chain },
      { name: "Pays the fee", value: identified(accountKeys[0] ?? "", nameOf) },
      { name: "Fee at most", value: lamportsText(maxFeeOf(required, instructions)) },
      ...words.flatMap(({ summary, facts }, index) => [
        { name: `Instruction ${index + 1}`, value: summary },
        ...facts.map((fact) => ({ ...fact, name: `Instruction ${index + 1} › ${fact.name}` })),
      ]),
      {
        name: "Signed by",
        value: accountKeys
          .slice(0, required)
          .map((key) => identified(key, nameOf))
          .join(", "),
      },
      ...factOf("Tables", lookups.map(({ table }) => table).join(", ")),
      { name: "Block hash", value: recentBlockhash },
      { name: "Format", value: version },
    ],
    warnings: [
      ...words.flatMap(({ warnings }) => warnings),
      ...(lookups.length > 0
        ? ["It names accounts by tables on the chain, which these bytes do not show."]
        : []),
    ],
  }
}

function named(
  transaction: SolanaTransaction,
  { program, accounts, data }: SolanaTransaction["instructions"][number],
): NamedInstruction {
  return {
    program: elementAt(transaction.accountKeys, program),
    accounts: accounts.map((index) => accountKey(transaction, index) ?? FROM_TABLE),
    data,
  }
}

type InstructionWords = { summary: string; facts: readonly DescriptionLine[]; warnings: readonly string[] }

/** Data up to this many bytes are shown whole: no transaction has more than 1,232. */
const MAX_DATA = 256

function instructionWords(
  instruction: NamedInstruction,
  budget: ValueBudget,
  context: WordsContext,
): InstructionWords {
  const { program, accounts, data } = instruction
  const text = instructionText(instruction, context.nameOf)
  const hex = Buffer.from(data).toString("hex")
  const raw: DescriptionLine[] = [
    { name: "Program", value: programText(program) },
    ...factOf(
      "Accounts",
      accounts.map((key) => (key === FROM_TABLE ? "of a table" : identified(key, context.nameOf))).join(", "),
    ),
    ...factOf("Data", data.length > MAX_DATA ? digested(hex) : hex),
  ]
  const called = text === undefined ? calledWords(instruction, budget, context) : undefined
  if (called !== undefined) return { ...called, facts: [...called.facts, ...raw] }
  const warning =
    "Nobody can see what this instruction does: its program has no interface in this organization."
  return {
    summary:
      text ??
      `call ${programText(program)} with ${counted(accounts.length, "account")} and ${counted(data.length, "byte")}`,
    facts: raw,
    warnings: text === undefined ? [warning] : rightsWarnings(instruction),
  }
}

/** An instruction by the interface of its program; undefined: it has none, or the interface does not know the instruction. */
function calledWords(
  { program, accounts, data }: NamedInstruction,
  budget: ValueBudget,
  context: WordsContext,
): InstructionWords | undefined {
  const idl = context.interfaces.idl(program)
  const called = idl && instructionOf(idl, data)
  if (idl === undefined || called === undefined) return undefined
  if (isUnreadable(called)) {
    const what = called.name === undefined ? "one of several instructions" : quoted(called.name)
    const warning = `The arguments of ${what} cannot be read by ${sourceOf(context)}: ${quoted(called.fault.message)}. Nobody can see what it does.`
    const summary = `call ${what}, whose arguments cannot be read, of program ${programText(program)}`
    return { summary, facts: [], warnings: [warning] }
  }
  const summary = `call ${quoted(called.name)} of program ${programText(program)}`
  try {
    const values = decodeInstruction(called, idl, data, budget)
    const keys = namesOfAccounts(called.accounts).flatMap((name, index) => {
      const key = accounts[index]
      return key === undefined
        ? []
        : [{ name: `Account ${nameText(name)}`, value: identified(key, context.nameOf) }]
    })
    const facts = [
      { name: "Read by", value: sourceOf(context) },
      ...keys,
      ...Array.from(values, ([name, value]) => argumentFacts(name, value, context.nameOf)).flat(),
    ]
    return { summary, facts, warnings: [] }
  } catch (error) {
    if (!isFault(error, "call")) throw error
    const warning = `The instruction does not fit ${sourceOf(context)}: ${error.message}. Nobody can see what it does.`
    return { summary: `${summary} with unreadable arguments`, facts: [], warnings: [warning] }
  }
}

function argumentFacts(
  name: string,
  value: InstructionArgument | undefined,
  nameOf: NameOf,
): DescriptionLine[] {
  const place = `Argument ${nameText(name)}`
  return value === undefined ? [{ name: place, value: "absent" }] : valueFacts(place, value, nameOf)
}

function valueFacts(name: string, value: InstructionArgument, nameOf: NameOf): DescriptionLine[] {
  if (value instanceof Map)
    return Array.from(value as ReadonlyMap<string, InstructionArgument>, ([member, one]) =>
      valueFacts(`${name}.${nameText(member)}`, one, nameOf),
    ).flat()
  if (Array.isArray(value)) {
    const items = value as readonly InstructionArgument[]
    return items.length === 0
      ? [{ name, value: "none" }]
      : items.flatMap((item, at) => valueFacts(`${name}[${at}]`, item, nameOf))
  }
  if (typeof value === "string")
    return [{ name, value: isKey(value) ? identified(value, nameOf) : quoted(value) }]
  return [{ name, value: typeof value === "object" && "hex" in value ? value.hex : scalarText(value) }]
}

const isKey = (text: string) => /^[1-9A-HJ-NP-Za-km-z]{32,44}$/.test(text)

/** Lamports for each signature, those that precompiled programs verify among them. */
const SIGNATURE_LAMPORTS = 5000n
/** Compute units of an instruction and of a transaction that set no limit. */
const [INSTRUCTION_UNITS, MAX_UNITS] = [200_000n, 1_400_000n] as const
const MICRO_LAMPORTS = 1_000_000n

/** Programs whose data begin with the number of signatures that they verify. */
const PRECOMPILES: ReadonlySet<string> = new Set([
  "Ed25519SigVerify111111111111111111111111111",
  "KeccakSecp256k11111111111111111111111111111",
  "Secp256r1SigVerify1111111111111111111111111",
])

/** The highest fee, lamports: for the signatures, and the price of all compute units that the transaction may use. */
function maxFeeOf(required: number, instructions: readonly NamedInstruction[]): bigint {
  const verified = instructions.reduce(
    (sum, { program, data }) => sum + (PRECOMPILES.has(program) ? (data[0] ?? 0) : 0),
    0,
  )
  let [limit, price] = [undefined as bigint | undefined, 0n]
  for (const { program, data } of instructions) {
    if (program !== COMPUTE_BUDGET) continue
    const bytes = Buffer.from(data)
    if (bytes[0] === 2 && bytes.length >= 5) limit = BigInt(bytes.readUInt32LE(1))
    if (bytes[0] === 3 && bytes.length >= 9) price = bytes.readBigUInt64LE(1)
  }
  const units = least(limit ?? INSTRUCTION_UNITS * BigInt(instructions.length), MAX_UNITS)
  const priority = (units * price + MICRO_LAMPORTS - 1n) / MICRO_LAMPORTS
  return SIGNATURE_LAMPORTS * BigInt(required + verified) + priority
}

const least = (one: bigint, other: bigint) => (one < other ? one : other)
