import { create } from "@bufbuild/protobuf"
import type { KeyObject } from "node:crypto"
import { OtpType } from "../../../proto/gen/countersign/api/v1/enums_pb.ts"
import {
  CodeMessageSchema,
  type FetchOrder,
  MailedKeyUse,
  type MailKeyTask,
} from "../../../proto/gen/countersign/signer/v1/fetcher_pb.ts"
import { CodeStateSchema } from "../../../proto/gen/countersign/state/v1/code_pb.ts"
import { openMailedBundle } from "../../core/fetch-orders/mailed-bundle.ts"
import type { StatedFact } from "../../core/fetch-orders/statement.ts"
import { renderOtpMail } from "../../core/messages/otp-message.ts"
import type { Message } from "../delivery/delivery.ts"
import { codeKey, sealCode } from "./code-row.ts"
import type { CodeContext } from "./context.ts"
import { digestOf, uuidOf } from "./keys.ts"
import { contactKey, countCode, uncountCode } from "./limits.ts"

/** A row is kept this much longer than a body can be sent again: repeated orders of its activity send no second mail. */
const KEPT_MS = 2 * 60 * 60_000

/**
 * Mails a key that the signer made. The store is synced before the mail leaves, and counts it as a code of its address. An
 * activity that mailed its key before gets the same answer, and no second mail.
 * @throws OTP_LIMIT_EXCEEDED, OTP_SENDER_NOT_ALLOWED, OTP_DELIVERY_UNCONFIGURED, OTP_DELIVERY_FAILED,
 *   OTP_STORE_UNAVAILABLE
 */
export async function mailKey(
  { organizationId }: FetchOrder,
  task: MailKeyTask,
  receiver: KeyObject,
  context: CodeContext,
): Promise<StatedFact> {
  const { store, keys, delivery, nowMs: clock } = context
  const { activityFingerprint, parentId, email: contact } = task
  const id = codeKey(uuidOf(digestOf(keys, "code-id", organizationId, activityFingerprint)))
  if (id === undefined) throw new Error("an id that was made is a UUID")
  if (store.get("code", id) !== undefined) return MAILED
  const bundle = openMailedBundle(receiver, { organizationId, activityFingerprint }, task.sealedBundle)
  if (bundle === undefined) throw new Error("a bundle that the paired signer sealed does not open")

  const nowMs = clock()
  const counted = { parentId, channel: OtpType.EMAIL, contact, userIdentifier: "" }
  const rows = countCode(store, keys, counted, { id, nowMs, expiresAtMs: nowMs })
  const send = delivery.prepare(mailOf(task, bundle))
  // It has no digest: no code is right for this row.
  const state = create(CodeStateSchema, {
    organizationId,
    channel: OtpType.EMAIL,
    contact,
    contactKey: contactKey(keys, counted),
    expiresAtMs: BigInt(nowMs),
  })
  store.write({ put: [sealCode(id, state, nowMs + KEPT_MS, keys), ...rows, context.orderRow] })
  await store.whenDurable()
  try {
    await send()
  } catch (error) {
    const uncounted = uncountCode(store, state.contactKey, id, clock())
    store.write({ put: [uncounted], remove: [{ kind: "code", key: id }] })
    throw error
  }
  return MAILED
}

const MAILED: StatedFact = { case: "keyMailed", value: {} }

function mailOf({ email, message, lifetimeSeconds, use }: MailKeyTask, bundle: string): Message {
  const wording = message ?? create(CodeMessageSchema)
  const kind = use === MailedKeyUse.RECOVERY ? "recovery" : "session"
  const mail = renderOtpMail({ code: bundle, lifetimeSeconds: Number(lifetimeSeconds), kind }, wording)
  const { senderAddress, senderName, replyTo } = wording
  return { channel: "mail", to: email, ...mail, senderAddress, senderName, replyTo }
}
