import { type CeremonyKind, type ExpressionKind, type Fault, type FaultKind, isFault } from "./fault.ts"
import { refuse, type Refusal, type RefusalName } from "./refusal.ts"

// The refusals of faults: code, how the sentence begins, and the member at fault. Published clients match how sentences begin.

/** Kinds that have one code, wherever they are found. Others have none: a fault of a call becomes one of its transaction, and faults of logs and audits are reported. */
const CODES: Readonly<Record<Exclude<FaultKind, CeremonyKind | "call" | "log" | "audit">, RefusalName>> = {
  transaction: "TRANSACTION_INVALID",
  interface: "INTERFACE_INVALID",
  payload: "PAYLOAD_INVALID",
  syntax: "EXPRESSION_INVALID",
  type: "EXPRESSION_INVALID",
  "unknown-field": "EXPRESSION_FIELD_UNKNOWN",
  bound: "EXPRESSION_TOO_LARGE",
}

const REGISTRATION_CODES: Readonly<Record<CeremonyKind, RefusalName>> = {
  malformed: "ATTESTATION_MALFORMED",
  ceremony: "ATTESTATION_CEREMONY_WRONG",
  challenge: "ATTESTATION_CHALLENGE_WRONG",
  origin: "ATTESTATION_ORIGIN_WRONG",
  credential: "ATTESTATION_CREDENTIAL_WRONG",
  key: "ATTESTATION_KEY_INVALID",
  signature: "ATTESTATION_SIGNATURE_INVALID",
}

const STAMP_CODES: Readonly<Record<CeremonyKind, RefusalName>> = {
  malformed: "STAMP_MALFORMED",
  ceremony: "STAMP_CEREMONY_WRONG",
  challenge: "STAMP_INVALID",
  origin: "STAMP_ORIGIN_WRONG",
  signature: "STAMP_INVALID",
  // Cannot occur in a stamp: the stored key was read at registration, and an assertion attests no credential.
  credential: "STAMP_INVALID",
  key: "STAMP_INVALID",
}

/** The refusal of a transaction that cannot be read. */
export function transactionRefusal(
  cause: Fault<"transaction">,
  field = "parameters.unsignedTransaction",
): Refusal {
  const sentence = `failed to parse transaction: ${cause.message} (at byte ${cause.place})`
  return refuse(CODES.transaction, sentence, { cause, field })
}

export function payloadRefusal(cause: Fault<"payload">, field: string): Refusal {
  return refuse(CODES.payload, `invalid payload encoding: ${cause.message}`, { cause, field })
}

/** The refusal of a contract's interface, an `ABI` or an `IDL`. */
export function interfaceRefusal(cause: Fault<"interface">, format: string, field: string): Refusal {
  const sentence = `invalid smart contract interface: the ${format} ${cause.message}`
  return refuse(CODES.interface, sentence, { cause, field })
}

/** The refusal of a new passkey. `at`: path of its parameters. */
export function registrationRefusal(cause: Fault<CeremonyKind>, at: string): Refusal {
  const field = cause.kind === "challenge" ? `${at}.challenge` : `${at}.attestation`
  const sentence = `invalid authenticator attestation: ${cause.message}`
  return refuse(REGISTRATION_CODES[cause.kind], sentence, { cause, field })
}

/** The refusal of a passkey's stamp. */
export function stampRefusal(cause: Fault<CeremonyKind>): Refusal {
  return refuse(STAMP_CODES[cause.kind], `could not verify WebAuthN signature: ${cause.message}`, { cause })
}

/** The refusal of an expression, which sentences call `name`. Published clients match the words before an unknown name. */
export function expressionRefusal(cause: Fault<ExpressionKind>, name: string, field: string): Refusal {
  const { kind, message, place } = cause
  const { offset, length, expected, found } = place
  const sentence = kind === "unknown-field" ? `Expression cannot be evaluated: ${message}` : message
  const expression = { offset, length, expected, found }
  return refuse(CODES[kind], `invalid ${name}: ${sentence}`, { cause, field, expression })
}

/** Reads a transaction of the member at `field`. @throws TRANSACTION_INVALID */
export function readingTransaction<T>(read: () => T, field?: string): T {
  try {
    return read()
  } catch (fault) {
    throw isFault(fault, "transaction") ? transactionRefusal(fault, field) : fault
  }
}
