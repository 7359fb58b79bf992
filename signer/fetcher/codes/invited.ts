import { create, fromBinary, toBinary } from "@bufbuild/protobuf"
import { OtpType } from "../../../proto/gen/countersign/api/v1/enums_pb.ts"
import { InvitedStateSchema } from "../../../proto/gen/countersign/state/v1/code_pb.ts"
import { countedContact } from "../../core/otp/contact.ts"
import { refuse } from "../../core/refusal.ts"
import { type CodeKeys, digestOf } from "./keys.ts"
import type { CodeRow } from "./row-mac.ts"
import type { CodeStore } from "./store.ts"

/** Most invitations of one address within KEPT_MS, from one top-level organization with its sub-organizations. */
const MAX_SENT = 3
/** Time for which a row of an invitation is kept, milliseconds: for repeated orders, and for the count of a day. */
export const KEPT_MS = 24 * 60 * 60_000

const KEY_LENGTH = 16

/** Rows that count one more invitation for each of these addresses, in any spelling. @throws INVITATION_LIMIT_EXCEEDED */
export function countInvitations(
  { store, keys }: Counting,
  parentId: string,
  emails: readonly string[],
  nowMs: number,
): CodeRow[] {
  return changed({ store, keys }, parentId, emails, nowMs, (sent) => {
    if (sent.length < MAX_SENT) return [...sent, BigInt(nowMs)]
    const sentence = `an address gets ${MAX_SENT} invitations a day: wait, or ask the person to sign in`
    throw refuse("INVITATION_LIMIT_EXCEEDED", sentence)
  })
}

/** The rows without one invitation of a time for each of these addresses: those mails could not be sent. */
export function uncountInvitations(
  counting: Counting,
  parentId: string,
  emails: readonly string[],
  sentAtMs: number,
): CodeRow[] {
  return changed(counting, parentId, emails, sentAtMs, (sent) => {
    const index = sent.indexOf(BigInt(sentAtMs))
    return sent.filter((_time, at) => at !== index)
  })
}

type Counting = { store: CodeStore; keys: Pick<CodeKeys, "digest"> }

/** The times of each address, changed as often as the address occurs. */
function changed(
  { store, keys }: Counting,
  parentId: string,
  emails: readonly string[],
  nowMs: number,
  change: (sent: bigint[]) => bigint[],
): CodeRow[] {
  const byKey = new Map<string, bigint[]>()
  for (const email of emails) {
    const counted = countedContact(OtpType.EMAIL, email)
    const key = digestOf(keys, "invited", parentId, counted).subarray(0, KEY_LENGTH)
    const name = key.toString("hex")
    byKey.set(name, change(byKey.get(name) ?? readTimes(store, key, nowMs)))
  }
  return [...byKey].map(([name, sentAtMs]) => {
    const value = toBinary(InvitedStateSchema, create(InvitedStateSchema, { sentAtMs }))
    return { kind: "invited", key: Buffer.from(name, "hex"), expiresMs: nowMs + KEPT_MS, value }
  })
}

function readTimes(store: CodeStore, key: Uint8Array, nowMs: number): bigint[] {
  const stored = store.get("invited", key)
  const times = stored === undefined ? [] : fromBinary(InvitedStateSchema, stored).sentAtMs
  return times.filter((time) => Number(time) > nowMs - KEPT_MS)
}
