import type {
  FetchOrder,
  InvitedPerson,
  SendInvitationsTask,
} from "../../../proto/gen/countersign/signer/v1/fetcher_pb.ts"
import type { StatedFact } from "../../core/fetch-orders/statement.ts"
import { renderInvitationMail } from "../../core/messages/invitation-mail.ts"
import type { MailMessage } from "../delivery/delivery.ts"
import type { CodeContext } from "./context.ts"
import { countInvitations, KEPT_MS, uncountInvitations } from "./invited.ts"
import { digestOf } from "./keys.ts"
import type { CodeRow } from "./row-mac.ts"

/**
 * Mails invitations. Each mail of an activity has a row, synced before the mails leave. An activity that is ordered again sends
 * only mails that the server did not take.
 * @throws INVITATION_LIMIT_EXCEEDED, OTP_DELIVERY_UNCONFIGURED, OTP_DELIVERY_FAILED, OTP_STORE_UNAVAILABLE
 */
export async function sendInvitations(
  order: FetchOrder,
  task: SendInvitationsTask,
  context: CodeContext,
): Promise<StatedFact> {
  const { store, delivery, nowMs: clock } = context
  const sent: StatedFact = { case: "invitationsSent", value: {} }
  const unsent = task.invited
    .map((person, index) => ({ person, key: mailKey(order, task, index, context) }))
    .filter(({ key }) => store.get("invitation", key) === undefined)
  if (unsent.length === 0) return sent
  const nowMs = clock()
  const prepared = unsent.map((mail) => ({ ...mail, send: delivery.prepare(mailTo(mail.person, task)) }))
  const counted = countInvitations(context, task.parentId, emailsOf(unsent), nowMs)
  const rows = unsent.map(({ key }) => mailRow(key, nowMs))
  store.write({ put: [...rows, ...counted, context.orderRow] })
  await store.whenDurable()
  const results = await Promise.allSettled(prepared.map(({ send }) => send()))
  const failed = unsent.filter((_mail, index) => results[index]?.status === "rejected")
  if (failed.length === 0) return sent
  store.write({
    put: uncountInvitations(context, task.parentId, emailsOf(failed), nowMs),
    remove: failed.map(({ key }) => ({ kind: "invitation", key })),
  })
  throw results.find((result) => result.status === "rejected")?.reason
}

const KEY_LENGTH = 16

function mailKey(
  { organizationId }: FetchOrder,
  task: SendInvitationsTask,
  index: number,
  { keys }: CodeContext,
) {
  const parts = [organizationId, task.activityFingerprint, String(index)] as const
  return digestOf(keys, "invitation", ...parts).subarray(0, KEY_LENGTH)
}

function mailRow(key: Uint8Array, nowMs: number): CodeRow {
  return { kind: "invitation", key, expiresMs: nowMs + KEPT_MS, value: new Uint8Array(0) }
}

function emailsOf(mails: readonly { person: InvitedPerson }[]): string[] {
  return mails.map(({ person }) => person.email)
}

function mailTo({ email, userName }: InvitedPerson, { organizationName }: SendInvitationsTask): MailMessage {
  const mail = renderInvitationMail({ organizationName, userName, email })
  return { channel: "mail", to: email, ...mail, senderAddress: "", senderName: "", replyTo: "" }
}
