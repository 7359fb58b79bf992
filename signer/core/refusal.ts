import { getOption } from "@bufbuild/protobuf"
import {
  refusal as declaration,
  RefusalCode,
  RefusalCodeSchema,
} from "../../proto/gen/countersign/signer/v1/refusal_pb.ts"

/** Name of a refusal code, without the enum's prefix: `STAMP_INVALID`. The list is closed (refusal.proto). */
export type RefusalName = Exclude<keyof typeof RefusalCode, "UNSPECIFIED">

/** The declaration of a code in refusal.proto: status and public code on the wire. Undefined: a newer release's code. */
export function declarationOf(code: RefusalCode) {
  const value = RefusalCodeSchema.value[code]
  if (value === undefined) return undefined
  const { status, publicCode, final } = getOption(value, declaration)
  return { name: value.localName, status, publicCode, final }
}

/** The only error the signer throws on purpose. `message` is for the caller, without secrets; `cause` is for the log. */
export class Refusal extends Error {
  readonly code: RefusalName
  /** Path of the request's member at fault (`parameters.accounts[1].path`), where there is one. */
  readonly field: string | undefined
  /** The place of the fault, if the member is an expression. */
  readonly expression: ExpressionPlace | undefined

  constructor(code: RefusalName, sentence: string, options: RefusalOptions = {}) {
    super(sentence, options.cause === undefined ? undefined : { cause: options.cause })
    this.name = "Refusal"
    this.code = code
    this.field = options.field
    this.expression = options.expression
  }
}

export type RefusalOptions = { cause?: unknown; field?: string; expression?: ExpressionPlace }

/** A place in an expression of the policy language, in UTF-16 code units, with details of the fault. */
export type ExpressionPlace = {
  readonly offset: number
  readonly length: number
  readonly expected?: string | undefined
  readonly found?: string | undefined
}

/** Makes a refusal; callers write `throw refuse(...)`, so that the compiler sees the end of the path. */
export function refuse(code: RefusalName, sentence: string, options?: RefusalOptions): Refusal {
  return new Refusal(code, sentence, options)
}
