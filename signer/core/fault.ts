import type { ExpressionPlace } from "./refusal.ts"

/** Broken rules of a passkey's ceremony. */
export type CeremonyKind =
  /** Encoding or layout. */
  | "malformed"
  /** Another type of ceremony, another relying party, or no user present. */
  | "ceremony"
  /** Another challenge than the expected one. */
  | "challenge"
  /** A page of an origin that is not allowed. */
  | "origin"
  /** Another credential than the one named, or none. */
  | "credential"
  /** Not a public key of an accepted algorithm. */
  | "key"
  /** The signature does not verify. */
  | "signature"

/** Faults of an expression of the policy language. */
export type ExpressionKind =
  /** The text does not follow the grammar. */
  | "syntax"
  /** Operands, elements or the result have the wrong type, or a literal is invalid. */
  | "type"
  /** A root or field does not exist here. */
  | "unknown-field"
  /** The expression exceeds a limit of `policy/language/limits.ts`. */
  | "bound"

/** Each kind of fault with the way in which it names its place. */
type Places = {
  /** A transaction is not in its chain's encoding, or asks for what is never signed: the byte at fault. */
  transaction: number
  /** A call does not fit the contract's interface: the byte of the arguments at fault. */
  call: number
  /** A contract's interface: path of the member at fault, `[3].inputs[0].type`; empty for the text as a whole. */
  interface: string
  /** A payload is not in its encoding. */
  payload: undefined
  /** Evidence of the log or of an audit stream is not proven. The place is the fault's code in the report. */
  log: string
  audit: string
} & Record<CeremonyKind, undefined> &
  Record<ExpressionKind, ExpressionFaultPlace>

/** `known`: names that exist where the unknown one stands. */
export type ExpressionFaultPlace = ExpressionPlace & { readonly known?: readonly string[] }

/** The closed list of faults. `fault-refusals.ts` says which refusal each becomes; faults of logs and audits go into a report. */
export type FaultKind = keyof Places

export const CEREMONY_KINDS: readonly CeremonyKind[] = [
  "malformed",
  "ceremony",
  "challenge",
  "origin",
  "credential",
  "key",
  "signature",
]

export const EXPRESSION_KINDS: readonly ExpressionKind[] = ["syntax", "type", "unknown-field", "bound"]

/**
 * Input cannot be read. Readers of this zone throw it, and no other error, on purpose. The message is a sentence for the caller,
 * or its end; `cause` is for the log.
 */
export class Fault<Kind extends FaultKind = FaultKind> extends Error {
  override name = "Fault"
  readonly kind: Kind
  readonly place: Places[Kind]

  constructor(
    kind: Kind,
    sentence: string,
    ...[place, cause]: undefined extends Places[Kind]
      ? [place?: undefined, cause?: unknown]
      : [place: Places[Kind], cause?: unknown]
  ) {
    super(sentence, cause === undefined ? undefined : { cause })
    this.kind = kind
    this.place = place as Places[Kind]
  }
}

/** True for a fault of one of these kinds. */
export function isFault<Kind extends FaultKind>(
  error: unknown,
  ...kinds: readonly Kind[]
): error is Fault<Kind> {
  return error instanceof Fault && (kinds as readonly FaultKind[]).includes(error.kind)
}
