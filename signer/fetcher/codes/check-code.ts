import { timingSafeEqual } from "node:crypto"
import { create } from "@bufbuild/protobuf"
import type { CheckCodeTask, FetchOrder } from "../../../proto/gen/countersign/signer/v1/fetcher_pb.ts"
import { type CodeState, CodeUseSchema } from "../../../proto/gen/countersign/state/v1/code_pb.ts"
import { signMessage } from "../../core/crypto/keyset.ts"
import type { StatedFact } from "../../core/fetch-orders/statement.ts"
import { canonicalCode } from "../../core/otp/code.ts"
import { writeVerificationToken } from "../../core/otp/verification-token.ts"
import { refuse } from "../../core/refusal.ts"
import { codeKey, closed, openCode, sealCode, type StoredCode } from "./code-row.ts"
import type { CodeContext } from "./context.ts"
import { digestOf, uuidOf } from "./keys.ts"
import { uncountCode } from "./limits.ts"
import { KEPT_MS } from "./start-code.ts"
import { type GivenCode, isCompressedPoint, openSealedCode } from "./target-key.ts"

/** Attempts that a code has. */
const MAX_ATTEMPTS = 3

/**
 * Checks a code, and states a verification token for a correct one. Attempt and answer are stored together, durably, before
 * the answer is sent, so an attempt still counts after a crash. There is no await between reading the code and storing its use,
 * so of two concurrent correct attempts only one gets the token. An activity that repeats its attempt gets the same
 * answer.
 * @throws OTP_CODE_INVALID with one text for every reason; OTP_STORE_UNAVAILABLE
 */
export function checkCode(order: FetchOrder, task: CheckCodeTask, context: CodeContext): StatedFact {
  const { store, keys, nowMs: clock } = context
  const key = codeKey(task.otpId)
  const value = key && store.get("code", key)
  if (key === undefined || value === undefined) throw wrongCode()
  const state = openCode(key, value, keys)
  const activity = task.activityFingerprint.subarray(0, 16)
  const stored = { otpId: task.otpId.toLowerCase(), state }
  requireSameWay(order, task, state)
  if (state.use !== undefined && isSame(state.use.activity, activity)) return tokenOf(stored, context)

  const nowMs = clock()
  const isLive = state.digest.length > 0 && Number(state.expiresAtMs) > nowMs
  const isRepeated = state.attempts.some((earlier) => isSame(earlier, activity))
  if (!isLive || isRepeated || state.attempts.length >= MAX_ATTEMPTS) throw wrongCode()
  const keptUntilMs = Number(state.expiresAtMs) + KEPT_MS
  state.attempts.push(activity)
  store.write({ put: [sealCode(key, state, keptUntilMs, keys), context.orderRow] })

  const given = givenCode(task, state)
  if (given === undefined || !isRight(given, key, state, context)) {
    if (state.attempts.length >= MAX_ATTEMPTS)
      store.write({ put: [sealCode(key, closed(state), keptUntilMs, keys)] })
    throw wrongCode()
  }
  const used = closed(state)
  const tokenExpiresAtMs = BigInt(nowMs + task.tokenLifetimeSeconds * 1000)
  used.use = create(CodeUseSchema, { activity, tokenExpiresAtMs, publicKey: given.publicKey })
  const contact = uncountCode(store, state.contactKey, key, nowMs)
  store.write({ put: [sealCode(key, used, keptUntilMs, keys), contact] })
  return tokenOf({ ...stored, state: used }, context)
}

/** A code is worth nothing in another organization, another part of the service, or in clear if it was to come sealed. */
function requireSameWay(
  { organizationId }: FetchOrder,
  { flow, evidence }: CheckCodeTask,
  state: CodeState,
): void {
  const isSealed = evidence.case === "sealed"
  if (state.organizationId !== organizationId || state.flow !== flow || state.isSealed !== isSealed)
    throw wrongCode()
}

function givenCode({ evidence }: CheckCodeTask, { targetKey }: CodeState): GivenCode | undefined {
  if (evidence.case === "sealed") return openSealedCode(evidence.value, targetKey)
  if (evidence.case !== "plain") return undefined
  const { code, publicKey } = evidence.value
  return publicKey === "" || isCompressedPoint(publicKey) ? { code, publicKey } : undefined
}

/** Compares digests, in the same time for all of them. */
function isRight({ code }: GivenCode, id: Uint8Array, { digest }: CodeState, { keys }: CodeContext): boolean {
  return timingSafeEqual(digestOf(keys, "code", id, canonicalCode(code)), digest)
}

/** The token of a used code: the same id and claims each time. */
function tokenOf({ otpId, state }: StoredCode, { keys, keySet }: CodeContext): StatedFact {
  const { use, organizationId, channel, contact, isSealed } = state
  if (use === undefined) throw new Error("a token is made for a code that was used")
  const claims = {
    id: uuidOf(digestOf(keys, "token-id", otpId, use.activity)),
    organizationId,
    channel,
    contact,
    publicKey: use.publicKey === "" ? undefined : use.publicKey,
    expiresAtMs: Number(use.tokenExpiresAtMs),
    isSealed,
  }
  const verificationToken = writeVerificationToken(claims, (message) => signMessage(keySet, message))
  return { case: "codeChecked", value: { verificationToken } }
}

function isSame(one: Uint8Array, other: Uint8Array): boolean {
  return Buffer.compare(one, other) === 0
}

/** Published clients match this text. */
function wrongCode() {
  return refuse("OTP_CODE_INVALID", "Invalid OTP code")
}
