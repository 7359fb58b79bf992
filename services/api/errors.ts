import {
  VelocityControlsExceededSchema,
  type ExpressionFault,
} from "../../proto/gen/countersign/api/v1/errors_pb.ts"
import { type Outcome, OutcomeSchema } from "../../proto/gen/countersign/api/v1/enums_pb.ts"
import { RefusalCode } from "../../proto/gen/countersign/signer/v1/refusal_pb.ts"
import type { Decision, Refused } from "../../proto/gen/countersign/signer/v1/signer_pb.ts"
import { ReadFault } from "../../proto/read.ts"
import { StrictJsonError } from "../../proto/strict-json.ts"
import { declarationOf, Refusal, type RefusalName } from "../../signer/core/refusal.ts"
import { excessSentence } from "../../signer/core/modules/policies/words/excess.ts"
import { ApiError, type ErrorBody, type ErrorDetail, GrpcCode, type Reason } from "../common/api-error.ts"
import { databaseFault } from "../database/faults.ts"

/** Maps every error of this service to the wire. An unknown error shows the caller no details. */
export function toApiError(thrown: unknown): ApiError {
  if (thrown instanceof ApiError) return thrown
  if (thrown instanceof Refusal) {
    const { code, message: sentence, field = "", cause } = thrown
    return refusedError({ code: RefusalCode[code], sentence, field }, cause)
  }
  if (thrown instanceof ReadFault) return invalid(`invalid request body: ${thrown.sentence}`, thrown.path)
  if (thrown instanceof StrictJsonError) {
    return invalid(`bad request body: it is not strict JSON: ${thrown.message}`, "", "REQUEST_MALFORMED")
  }
  const fault = databaseFault(thrown)
  if (fault !== undefined) return unavailable(`${fault}; try again`, thrown)
  return new ApiError(GrpcCode.internal, "internal server error", { publicCode: "INTERNAL", cause: thrown })
}

/** Parts of the reply to a denial. `kind`: the kind of the denied activity. */
type Denial = { kind: string; advice: ErrorDetail | undefined }

/** True for the codes of a denied activity, which is stored. */
export function isDenial(code: RefusalCode): boolean {
  return code === RefusalCode.PERMISSION_DENIED || code === RefusalCode.VELOCITY_CONTROL_EXCEEDED
}

/** A refusal as an error, by the options of its code. */
export function refusedError(
  refused: Pick<Refused, "code" | "sentence" | "field" | "expression" | "denial"> &
    Partial<Pick<Refused, "exceededControls">>,
  cause?: unknown,
  denied?: Denial,
): ApiError {
  const { code, sentence, field, expression, denial, exceededControls = [] } = refused
  if (isDenial(code)) return denialError(sentence, denial?.policyOutcomes, denied, exceededControls)
  const declared = declarationOf(code)
  if (declared === undefined) {
    return new ApiError(GrpcCode.internal, "internal server error", {
      publicCode: "INTERNAL",
      cause: sentence,
    })
  }
  return new ApiError(declared.status as GrpcCode, sentence, {
    publicCode: declared.publicCode,
    reason: declared.name as RefusalName,
    field,
    ...(expression && { details: [expressionDetail(expression)] }),
    cause,
  })
}

/** Position and kind of a fault in an expression, for editors. Empty members are left out. */
function expressionDetail({ $typeName, $unknown: _unknown, ...fault }: ExpressionFault): ErrorDetail {
  const members = Object.entries(fault).filter(([, value]) => value !== "")
  return { "@type": `type.googleapis.com/${$typeName}`, ...Object.fromEntries(members) }
}

/** Published clients match this text. */
const DENIED =
  "You don't have sufficient permissions to take this action. Please add a policy granting this user permissions."

/** Published signers match these texts for a denied transaction: `explicitly` where a DENY applies. */
export const DENIED_TRANSACTION = {
  explicitly: "policy engine denied request explicitly",
  implicitly: "policy engine denied request implicitly",
}

/** The signer's sentence where no DENY applies. */
const NO_ALLOW = "No policies evaluated to outcome: Allow"

function denialText(reason: string, kind: string | undefined): string {
  if (kind !== "SIGN_TRANSACTION") return DENIED
  return DENIED_TRANSACTION[reason === NO_ALLOW ? "implicitly" : "explicitly"]
}

/** `reason`: the signer's sentence, which published clients read with the outcome of each policy. */
function denialError(
  reason: string,
  outcomes: Decision["policyOutcomes"] = [],
  { kind, advice }: Partial<Denial> = {},
  exceeded: Refused["exceededControls"] = [],
): ApiError {
  const detail: ErrorDetail = {
    "@type": "type.googleapis.com/errors.v1.PolicyEnginePermissionError",
    message: reason,
    policyEvaluations: outcomes.map(({ policyId, outcome }) => ({ policyId, outcome: outcomeName(outcome) })),
  }
  const limits = exceeded.length === 0 ? [] : [exceededDetail(exceeded)]
  const literal = denialText(reason, kind)
  const sentences = [literal.endsWith(".") || limits.length === 0 ? literal : `${literal}.`]
  const text = [...sentences, ...exceeded.map(excessSentence)].join(" ")
  return new ApiError(GrpcCode.permissionDenied, text, {
    publicCode: "REQUEST_NOT_AUTHORIZED",
    reason: exceeded.length === 0 ? "PERMISSION_DENIED" : "VELOCITY_CONTROL_EXCEEDED",
    details: [detail, ...(advice ? [advice] : []), ...limits],
    codeDetail: false,
  })
}

function exceededDetail(exceeded: Refused["exceededControls"]): ErrorDetail {
  const controls = exceeded.map(({ $typeName: _typeName, $unknown: _unknown, ...control }) => control)
  return { "@type": `type.googleapis.com/${VelocityControlsExceededSchema.typeName}`, controls }
}

function outcomeName(outcome: Outcome): string {
  return OutcomeSchema.value[outcome]?.name ?? "OUTCOME_UNSPECIFIED"
}

/** The error of a denied activity, from the failure stored with it. */
export function storedError(failure: string): ApiError {
  const { code, message, details, turnkeyErrorCode } = JSON.parse(failure) as ErrorBody
  return new ApiError(code as GrpcCode, message, {
    ...(turnkeyErrorCode === undefined ? {} : { publicCode: turnkeyErrorCode }),
    reason: details.some(isExceededDetail) ? "VELOCITY_CONTROL_EXCEEDED" : "PERMISSION_DENIED",
    details,
    codeDetail: false,
  })
}

function isExceededDetail(detail: ErrorDetail): boolean {
  return detail["@type"].endsWith(VelocityControlsExceededSchema.typeName)
}

/** A member of the request breaks its rule. */
export function invalid(sentence: string, field: string, reason: Reason = "REQUEST_INVALID"): ApiError {
  return new ApiError(GrpcCode.invalidArgument, sentence, { publicCode: "REQUEST_INVALID", field, reason })
}

/** The request names an object that does not exist. */
export function notFound(sentence: string): ApiError {
  return new ApiError(GrpcCode.notFound, sentence, {
    publicCode: "REQUEST_INVALID",
    reason: "RESOURCE_UNKNOWN",
  })
}

/** The signer or the database is unreachable. The same body may be sent again. */
export function unavailable(sentence: string, cause?: unknown): ApiError {
  return new ApiError(GrpcCode.unavailable, sentence, {
    publicCode: "INTERNAL",
    reason: "UNAVAILABLE",
    cause,
  })
}
