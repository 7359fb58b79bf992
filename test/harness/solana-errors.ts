// Errors of litesvm as the JSON and the texts of Solana's nodes.
import type { FailedTransactionMetadata } from "litesvm"

type InstructionError = { InstructionError: [number, string | { Custom: number }] }

/** Texts of Solana's nodes that programs match. */
const TEXTS: { [name: string]: string } = {
  AccountNotFound: "Attempt to debit an account but found no record of a prior credit.",
  AlreadyProcessed: "This transaction has already been processed",
  BlockhashNotFound: "Blockhash not found",
  InsufficientFundsForFee: "Insufficient funds for fee",
}

/** The error as nodes write it. litesvm's enumerations exist for the compiler only, so its text is read. */
export function errorJson(failed: FailedTransactionMetadata): string | InstructionError {
  const text = failed.toString()
  const [, index, name = "", custom] = /err: InstructionError\((\d+), (\w+)(?:\((\d+)\))?\)/.exec(text) ?? []
  if (index === undefined) return /err: (\w+)/.exec(text)?.[1] ?? text
  return { InstructionError: [Number(index), custom === undefined ? name : { Custom: Number(custom) }] }
}

/** One sentence about an error. */
export function errorText(error: string | InstructionError): string {
  if (typeof error === "string") return TEXTS[error] ?? error
  const [index, why] = error.InstructionError
  const reason = typeof why === "string" ? why : `custom program error: 0x${why.Custom.toString(16)}`
  return `Error processing Instruction ${index}: ${reason}`
}
