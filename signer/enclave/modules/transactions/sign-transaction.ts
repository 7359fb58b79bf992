import { transactionRefusal } from "../../../core/fault-refusals.ts"
import { isFault } from "../../../core/fault.ts"
import {
  type TransactionType,
  TransactionTypeSchema,
} from "../../../../proto/gen/countersign/api/v1/enums_pb.ts"
import { refuse } from "../../../core/refusal.ts"
import { readUnsigned } from "../../../core/transaction/unsigned.ts"
import { isSteps, type Steps } from "../../../core/turns/steps.ts"
import type { ActivityContext, LongActivity } from "../../activities/activity.ts"
import { type SigningChain, chains } from "./transaction-chains.ts"

type TransactionParameters = { unsignedTransaction: string; type: TransactionType }

const needs = ["signingKey"] as const

export const signTransaction: LongActivity<"signTransaction", typeof needs> = {
  needs,
  check: ({ privateKeyId, ...parameters }) => requireReadable(privateKeyId, parameters),
  run: ({ privateKeyId, ...parameters }, context) => signOne(privateKeyId, parameters, context),
}

export const signTransactionV2: LongActivity<"signTransaction", typeof needs, "V2"> = {
  needs,
  check: ({ signWith, ...parameters }) => requireReadable(signWith, parameters),
  run: ({ signWith, ...parameters }, context) => signOne(signWith, parameters, context),
}

function requireReadable(signWith: string, { unsignedTransaction, type }: TransactionParameters): void {
  const chain = chainOf(type)
  asRefusal(() => chain.requireReadable(readUnsigned(unsignedTransaction), signWith))
}

/** Hexadecimal without 0x, as published clients expect it. */
function* signOne(
  signWith: string,
  { unsignedTransaction, type }: TransactionParameters,
  { signingKey }: ActivityContext<typeof needs>,
): Steps<{ signedTransaction: string }> {
  const chain = chainOf(type)
  const signing = asRefusal(() => chain.sign(readUnsigned(unsignedTransaction), () => signingKey(signWith)))
  const signed = isSteps(signing) ? yield* stepsAsRefusal(signing) : signing
  return { signedTransaction: Buffer.from(signed).toString("hex") }
}

/** @throws TRANSACTION_TYPE_UNSUPPORTED */
function chainOf(type: TransactionType): SigningChain {
  const chain = chains.get(type)
  if (chain !== undefined) return chain
  const served = Array.from(chains.keys(), nameOf).join(", ")
  const sentence = `transactions of ${nameOf(type)} are not served yet, only of ${served}; sign their digest with sign_raw_payload`
  throw refuse("TRANSACTION_TYPE_UNSUPPORTED", sentence, { field: "parameters.type" })
}

function nameOf(type: TransactionType): string {
  return TransactionTypeSchema.value[type]?.name ?? `type ${type}`
}

function asRefusal<T>(read: () => T): T {
  try {
    return read()
  } catch (fault) {
    throw refusalOf(fault)
  }
}

function* stepsAsRefusal<T>(steps: Steps<T>): Steps<T> {
  try {
    return yield* steps
  } catch (fault) {
    throw refusalOf(fault)
  }
}

function refusalOf(fault: unknown): unknown {
  return isFault(fault, "transaction") ? transactionRefusal(fault) : fault
}
