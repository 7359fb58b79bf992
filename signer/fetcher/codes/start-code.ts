import { create } from "@bufbuild/protobuf"
import { OtpType } from "../../../proto/gen/countersign/api/v1/enums_pb.ts"
import {
  type CodeMessage,
  CodeMessageSchema,
  type FetchOrder,
  type StartCodeTask,
} from "../../../proto/gen/countersign/signer/v1/fetcher_pb.ts"
import { type CodeState, CodeStateSchema } from "../../../proto/gen/countersign/state/v1/code_pb.ts"
import type { StatedFact } from "../../core/fetch-orders/statement.ts"
import { renderOtpMail, renderOtpSms } from "../../core/messages/otp-message.ts"
import { canonicalCode, makeCode } from "../../core/otp/code.ts"
import type { Message } from "../delivery/delivery.ts"
import { closed, codeKey, openCode, sealCode } from "./code-row.ts"
import type { CodeContext } from "./context.ts"
import { digestOf, uuidOf } from "./keys.ts"
import { contactKey, countCode, uncountCode } from "./limits.ts"
import { isSandboxCode, SANDBOX_CODE } from "./sandbox.ts"
import { newTargetKey, targetBundle } from "./target-key.ts"

/** A row is kept this much longer than its code, so that repeated orders of the same activity find it. */
export const KEPT_MS = 10 * 60_000

/**
 * Makes a code, stores it and sends it. The store is synced before the message leaves. An activity that started a code
 * before gets the same answer, and no second message. A sandbox contact gets none.
 * @throws OTP_LIMIT_EXCEEDED, OTP_SENDER_NOT_ALLOWED, OTP_DELIVERY_UNCONFIGURED, OTP_DELIVERY_FAILED,
 *   OTP_STORE_UNAVAILABLE
 */
export async function startCode(
  order: FetchOrder,
  task: StartCodeTask,
  context: CodeContext,
): Promise<StatedFact> {
  const { store, keys, delivery, nowMs: clock, random } = context
  const { organizationId } = order
  const otpId = uuidOf(digestOf(keys, "code-id", organizationId, task.activityFingerprint))
  const id = codeKey(otpId) ?? new Uint8Array(0)
  const known = store.get("code", id)
  if (known !== undefined) return started(otpId, openCode(id, known, keys), context)

  const nowMs = clock()
  const expiresAtMs = nowMs + task.lifetimeSeconds * 1000
  const rows = countCode(store, keys, task, { id, nowMs, expiresAtMs })
  const isSandbox = context.sandboxContacts && isSandboxCode(task)
  const code = isSandbox ? SANDBOX_CODE : makeCode(task, random)
  const send = isSandbox ? undefined : delivery.prepare(messageOf(task, code))
  const state = create(CodeStateSchema, {
    organizationId,
    flow: task.flow,
    isSealed: task.isSealed,
    channel: task.channel,
    contact: task.contact,
    contactKey: contactKey(keys, task),
    digest: digestOf(keys, "code", id, canonicalCode(code)),
    targetKey: task.isSealed ? newTargetKey(random) : new Uint8Array(0),
    expiresAtMs: BigInt(expiresAtMs),
  })
  const keptUntilMs = expiresAtMs + KEPT_MS
  store.write({ put: [sealCode(id, state, keptUntilMs, keys), ...rows, context.orderRow] })
  await store.whenDurable()
  try {
    await send?.()
  } catch (error) {
    withdraw(id, keptUntilMs, context)
    throw error
  }
  return started(otpId, state, context)
}

/**
 * Removes a code whose message no provider accepted, and does not count it. A repeated order of its activity may have returned
 * its id already. After a guess the code stays counted and closed: else each failed delivery would give three free guesses.
 */
function withdraw(id: Uint8Array, keptUntilMs: number, { store, keys, nowMs: clock }: CodeContext): void {
  const value = store.get("code", id)
  // A store that turned out to be an older copy has no codes any more.
  if (value === undefined) return
  const state = openCode(id, value, keys)
  if (state.attempts.length > 0) return store.write({ put: [sealCode(id, closed(state), keptUntilMs, keys)] })
  const contact = uncountCode(store, state.contactKey, id, clock())
  store.write({ put: [contact], remove: [{ kind: "code", key: id }] })
}

function started(otpId: string, state: CodeState, { keySet }: CodeContext): StatedFact {
  const bundle = state.isSealed && state.targetKey.length > 0 ? targetBundle(state, keySet) : ""
  return { case: "codeStarted", value: { otpId, targetBundle: bundle } }
}

function messageOf({ channel, contact, message, lifetimeSeconds }: StartCodeTask, code: string): Message {
  const wording: CodeMessage = message ?? create(CodeMessageSchema)
  const told = { code, lifetimeSeconds }
  if (channel === OtpType.SMS) return { channel: "sms", to: contact, text: renderOtpSms(told, wording) }
  const { senderAddress, senderName, replyTo } = wording
  return { channel: "mail", to: contact, ...renderOtpMail(told, wording), senderAddress, senderName, replyTo }
}
