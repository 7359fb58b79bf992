import { getOption } from "@bufbuild/protobuf"
import {
  RefusalCodeSchema,
  RefusalGroupSchema,
  refusal,
} from "../../../proto/gen/countersign/signer/v1/refusal_pb.ts"
import { httpStatus } from "../api-error.ts"
import { REFUSAL_GROUP_TITLES, REFUSAL_TEXTS } from "./refusal-texts.ts"
import { SERVICE_REASONS, type ServiceReasonEntry } from "./service-reasons.ts"

/** The person who can remove the cause of an error. */
export type Mender = "caller" | "administrator" | "operator" | "time"

/** Content of the page of a reason. */
export type ReasonEntry = {
  readonly reason: string
  /** HTTP status; undefined: that of the error passed on. */
  readonly status: number | undefined
  /** turnkeyErrorCode; undefined: none, or that of the error passed on. */
  readonly publicCode: string | undefined
  /** The event, in one sentence. */
  readonly meaning: string
  /** The step that refuses. */
  readonly step: string
  readonly remedy: string
  readonly mender: Mender
  /** True if the refusal ends an activity that waited for votes. */
  readonly isFinal: boolean
}

const OPERATOR = /^operator:/i

/** Every reason, refusals of the signer first, by name. */
export const reasons: ReadonlyMap<string, ReasonEntry> = new Map(
  [...refusals(), ...serviceReasons()].map((entry) => [entry.reason, entry]),
)

function refusals(): ReasonEntry[] {
  return RefusalCodeSchema.values
    .filter(({ number }) => number !== 0)
    .map((code) => {
      const { status: grpcCode, publicCode, final: isFinal, group } = getOption(code, refusal)
      const texts = REFUSAL_TEXTS[code.localName]
      if (texts === undefined) throw new TypeError(`${code.localName} has no text`)
      const { meaning, remedy } = texts
      const status = httpStatus(grpcCode)
      const step = REFUSAL_GROUP_TITLES[RefusalGroupSchema.value[group]?.name ?? ""] ?? ""
      const mender = menderOf(status, remedy)
      return { reason: code.localName, status, publicCode, meaning, step, remedy, mender, isFinal }
    })
}

function serviceReasons(): ReasonEntry[] {
  const entries = Object.entries<ServiceReasonEntry>(SERVICE_REASONS)
  return entries.map(([reason, { status, meaning, remedy }]) => ({
    reason,
    status,
    publicCode: undefined,
    meaning,
    step: "Answering the request in the API tier",
    remedy,
    mender: menderOf(status ?? 400, remedy),
    isFinal: false,
  }))
}

/** Advice for operators says so; a right is given by an administrator; other faults of the service pass. */
function menderOf(status: number, remedy: string): Mender {
  if (OPERATOR.test(remedy)) return "operator"
  if (status === 403) return "administrator"
  return status >= 500 && status !== 501 ? "time" : "caller"
}
