import { RefusalCode } from "../../../../proto/gen/countersign/signer/v1/refusal_pb.ts"
import type { ExpressionPlace, Refusal } from "../../../core/refusal.ts"

/** A refusal as the API tier gets it: its code, its sentence, and the place of the fault in the request. */
export function writeRefused({ code, message: sentence, field = "", expression }: Refusal) {
  return {
    code: RefusalCode[code],
    sentence,
    field,
    ...(expression && { expression: writePlace(expression, field) }),
  }
}

function writePlace({ offset, length, expected = "", found = "" }: ExpressionPlace, field: string) {
  return { field, offset, length, expected, found }
}
