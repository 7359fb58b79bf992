import { create, type MessageInitShape, toBinary } from "@bufbuild/protobuf"
import {
  type FetchOrder,
  type FetchRefused,
  FetchStatementSchema,
  type SignedStatement,
  SignedStatementSchema,
} from "../../../proto/gen/countersign/signer/v1/fetcher_pb.ts"
import { RefusalCode } from "../../../proto/gen/countersign/signer/v1/refusal_pb.ts"
import { type Refusal, type RefusalName, refuse } from "../refusal.ts"
import { STATEMENT_LIFETIME_MS, STATEMENT_TAG, unopenedSecret } from "./order.ts"

export type StatedFact = NonNullable<
  Exclude<MessageInitShape<typeof FetchStatementSchema>["finding"], { case: undefined }>
>

type TaskCase = FetchOrder["task"]["case"]

const ON_RAMP_KEY_FAULTS = ["ON_RAMP_KEY_INVALID", "ON_RAMP_KEY_OF_ANOTHER_ORGANIZATION"] as const

/** Refusals of a task that a statement may hold: repeating the task would not change them. */
const STATED: { readonly [task in NonNullable<TaskCase>]: readonly RefusalName[] } = {
  issuerKeys: ["ISSUER_NOT_ALLOWED", "ISSUER_INVALID"],
  clientSecret: ["CLIENT_SECRET_INVALID"],
  onRampKeys: ON_RAMP_KEY_FAULTS,
  onRampPurchase: [...ON_RAMP_KEY_FAULTS, "ON_RAMP_URL_NOT_ALLOWED", "ON_RAMP_REFUSED"],
  onRampStatus: [...ON_RAMP_KEY_FAULTS, "ON_RAMP_REFUSED"],
  startCode: ["OTP_LIMIT_EXCEEDED", "OTP_SENDER_NOT_ALLOWED"],
  checkCode: ["OTP_CODE_INVALID"],
  oauth2Exchange: ["CLIENT_SECRET_INVALID", "CLIENT_SECRET_OF_ANOTHER_ORGANIZATION", "OAUTH2_REFUSED"],
  sendInvitations: ["INVITATION_LIMIT_EXCEEDED"],
  mailKey: ["OTP_LIMIT_EXCEEDED", "OTP_SENDER_NOT_ALLOWED"],
}

/** Longest sentence of a stated refusal, UTF-16 code units: it can name a host of the issuer's choice. */
const MAX_SENTENCE = 512

/** The finding that a task was refused; undefined: this refusal of the task is not stated. */
export function statedRefusal(task: TaskCase, { code, message }: Refusal): StatedFact | undefined {
  if (task === undefined || !STATED[task].includes(code)) return undefined
  const sentence = message.slice(0, MAX_SENTENCE).toWellFormed()
  return { case: "refused", value: { code: RefusalCode[code], sentence } }
}

/** The refusal that a statement on a task holds; undefined: none that the task can have. */
export function readRefused(task: TaskCase, { code, sentence }: FetchRefused): Refusal | undefined {
  const name = task && STATED[task].find((one) => RefusalCode[one] === code)
  if (name === undefined || sentence.length > MAX_SENTENCE) return undefined
  // A client secret has one sentence for all its faults.
  return name === "CLIENT_SECRET_INVALID" ? unopenedSecret() : refuse(name, sentence)
}

/** States the result of an order. */
export function makeStatement(
  finding: StatedFact,
  about: { orderDigest: Uint8Array; organizationId: string; stateSequence?: bigint },
  nowMs: number,
  sign: (tag: string, bytes: Uint8Array) => Uint8Array,
): SignedStatement {
  const statement = create(FetchStatementSchema, {
    ...about,
    fetchedAtMs: BigInt(nowMs),
    expiresAtMs: BigInt(nowMs + STATEMENT_LIFETIME_MS),
    finding,
  })
  const bytes = toBinary(FetchStatementSchema, statement)
  return create(SignedStatementSchema, { statement: bytes, signature: sign(STATEMENT_TAG, bytes) })
}
