// User operations of ERC-4337 in words: the account, its calls, its deployment, and who pays.
import { executedCalls } from "../../../contract-interface/account-calls.ts"
import { counted } from "../../../counted.ts"
import { userOperationHash } from "../../../payload/user-operation/hash.ts"
import { paymasterOf } from "../../../payload/user-operation/paymaster.ts"
import { leadingAddress, type UserOperation } from "../../../payload/user-operation/user-operation.ts"
import { chainText, weiText } from "../../../words/chains.ts"
import { listed } from "../../../words/text.ts"
import { digested } from "../../../words/values.ts"
import type { Content, DescriptionLine, WordsContext } from "../../../words/words.ts"
import { addressText } from "./arguments.ts"
import { factOf } from "./content.ts"
import { paymentWords } from "./ethereum.ts"

const DEPLOYMENT =
  "If the account does not exist yet, a factory creates it; if it has delegated its code (EIP-7702), its delegate runs this code for it first."
const AS_COMMON =
  "The calls are read by the functions of common accounts: an account with other code may do something else."

/** The hash says nothing about the account's code: a call is what a common account makes of it. */
export function userOperationContent(operation: UserOperation, context: WordsContext): Content {
  const { chainId, sender, entryPoint, version, nonce } = operation
  const { nameOf } = context
  const chain = chainText(`eip155:${chainId}`)
  const account = addressText(sender, nameOf)
  const calls = callsOf(operation, context)
  const paymaster = paymasterOf(operation)
  return {
    title: "User operation (ERC-4337)",
    summary: `a user operation (ERC-4337) by which account ${account} on ${chain} will ${calls.summary}${deploymentClause(operation, context)}`,
    facts: [
      { name: "Chain", value: chain },
      { name: "Account", value: account },
      {
        name: "Entry point",
        value: `${addressText(entryPoint, nameOf)}, version ${version === "0.8" ? "0.8 or 0.9" : version}`,
      },
      { name: "Nonce", value: `${nonce & SEQUENCE} (key ${nonce >> 64n})` },
      ...calls.facts,
      ...deploymentFacts(operation, context),
      { name: "Fee at most", value: feeText(operation) },
      ...factOf("Tip for each gas", `${operation.maxPriorityFeePerGas} wei`),
      {
        name: "Fee paid by",
        value:
          paymaster === undefined ? "the account" : `paymaster ${addressText(paymaster.address, nameOf)}`,
      },
      ...factOf(
        "Data for the paymaster",
        paymaster === undefined || paymaster.data === "0x" ? "" : shown(paymaster.data),
      ),
      { name: "Hash", value: `0x${Buffer.from(userOperationHash(operation)).toString("hex")}` },
    ],
    warnings: [
      ...(chainId === 0n ? ["It names chain 0, which no entry point has."] : []),
      ...calls.warnings,
      ...(operation.initCode === "0x" ? [] : [DEPLOYMENT]),
      ...(paymaster === undefined
        ? []
        : ["A paymaster may take tokens of the account for the fee, if the account allowed it."]),
    ],
  }
}

/** The low 64 bits of a nonce count; the others are a key that the account chooses (ERC-4337, semi-abstracted nonce). */
const SEQUENCE = 2n ** 64n - 1n
/** Digits of bytes that are shown whole. */
const MAX_DIGITS = 1024

const shown = (hex: string) => (hex.length > MAX_DIGITS ? digested(hex) : hex)

function callsOf({ callData, chainId }: UserOperation, context: WordsContext) {
  const executed = executedCalls(callData)
  const raw: DescriptionLine[] = [{ name: "Call data of the account", value: shown(callData) }]
  if ("unread" in executed) {
    const warning = `Nobody can see what the account will do: ${executed.unread}.`
    const bytes = counted((callData.length - 2) / 2, "byte")
    return { summary: `do what nobody can read (${bytes})`, facts: raw, warnings: [warning] }
  }
  const words = executed.calls.map((call) => paymentWords(call, chainId, context))
  if (words.length === 0) return { summary: "make no call", facts: raw, warnings: [] }
  const facts = words.flatMap((one, index) =>
    words.length === 1
      ? one.facts
      : one.facts.map(({ name, ...fact }) => ({ ...fact, name: `Call ${index + 1} › ${name}` })),
  )
  return {
    summary: listed(words.map(({ summary }) => summary)),
    facts: [...facts, ...raw],
    warnings: [...words.flatMap(({ warnings }) => warnings), AS_COMMON],
  }
}

function deploymentClause({ initCode }: UserOperation, { nameOf }: WordsContext): string {
  const address = leadingAddress(initCode)
  return address === "" ? "" : `, after code of ${addressText(address, nameOf)} has run`
}

function deploymentFacts({ initCode }: UserOperation, { nameOf }: WordsContext): DescriptionLine[] {
  const address = leadingAddress(initCode)
  if (address === "") return factOf("Code that runs first", initCode === "0x" ? "" : initCode)
  return [
    { name: "Factory or delegate", value: addressText(address, nameOf) },
    { name: "Data for it", value: shown(`0x${initCode.slice(address.length)}`) },
  ]
}

/** Each gas that the operation may use at its highest price (ERC-4337, required prefund). */
function feeText(operation: UserOperation): string {
  const { callGasLimit, verificationGasLimit, preVerificationGas, maxFeePerGas, chainId, version } = operation
  const paymaster = paymasterOf(operation)
  // In 0.6 a paymaster's calls have the verification limit each: `_getRequiredPrefund` multiplies it by 3.
  const verification = verificationGasLimit * (version === "0.6" && paymaster !== undefined ? 3n : 1n)
  const gas = callGasLimit + verification + preVerificationGas + (paymaster?.gas ?? 0n)
  return weiText(gas * maxFeePerGas, chainId)
}
