import { create, fromBinary, toBinary } from "@bufbuild/protobuf"
import {
  type ContactState,
  ContactStateSchema,
  LiveCodeSchema,
  RequesterStateSchema,
} from "../../../proto/gen/countersign/state/v1/code_pb.ts"
import type { StartCodeTask } from "../../../proto/gen/countersign/signer/v1/fetcher_pb.ts"
import { countedContact } from "../../core/otp/contact.ts"
import { refuse } from "../../core/refusal.ts"
import { type CodeKeys, digestOf } from "./keys.ts"
import type { CodeRow } from "./row-mac.ts"
import type { CodeStore } from "./store.ts"

/** Codes of a contact that may be live at once. */
const MAX_LIVE = 3
/** A code counts as live for so long at least: codes of shorter lives would give more guesses a day. */
const MIN_COUNTED_MS = 5 * 60_000
/** Unused codes of a contact in a day: with three attempts each they bound the guesses. */
const MAX_UNUSED_A_DAY = 60
const DAY_MS = 24 * 60 * 60_000
/** Codes that one user identifier may ask for in the time after it. */
const MAX_REQUESTED = 3
const REQUESTED_MS = 3 * 60_000

type Keys = Pick<CodeKeys, "digest">

/** Length of a row's key, bytes. */
const KEY_LENGTH = 16

/** A message that counts: for a contact, in a top-level organization, and for a user identifier if there is one. */
export type CountedMessage = Pick<StartCodeTask, "parentId" | "channel" | "contact" | "userIdentifier">

/** Key of a contact's row: its counted form, with the top-level organization that sends to it. */
export function contactKey(keys: Keys, { parentId, channel, contact }: CountedMessage): Uint8Array {
  const counted = countedContact(channel, contact)
  return digestOf(keys, "contact", parentId, String(channel), counted).subarray(0, KEY_LENGTH)
}

/**
 * Rows that count a new code for its contact and for its user identifier.
 * @param expiresAtMs expiry of the code
 * @throws OTP_LIMIT_EXCEEDED
 */
export function countCode(
  store: CodeStore,
  keys: Keys,
  task: CountedMessage,
  code: { id: Uint8Array; nowMs: number; expiresAtMs: number },
): CodeRow[] {
  const { nowMs } = code
  const key = contactKey(keys, task)
  const contact = readContact(store.get("contact", key), nowMs)
  if (contact.live.length >= MAX_LIVE || contact.unused >= MAX_UNUSED_A_DAY) throw limitExceeded()
  const untilMs = BigInt(Math.max(code.expiresAtMs, nowMs + MIN_COUNTED_MS))
  contact.live.push(create(LiveCodeSchema, { id: code.id, untilMs }))
  contact.unused += 1
  return [contactRow(key, contact), ...requesterRows(store, keys, task, nowMs)]
}

/** The contact's row without one code, which was used or could not be sent. */
export function uncountCode(store: CodeStore, key: Uint8Array, id: Uint8Array, nowMs: number): CodeRow {
  const contact = readContact(store.get("contact", key), nowMs)
  contact.live = contact.live.filter((live) => Buffer.compare(live.id, id) !== 0)
  contact.unused = Math.max(0, contact.unused - 1)
  return contactRow(key, contact)
}

function requesterRows(store: CodeStore, keys: Keys, task: CountedMessage, nowMs: number): CodeRow[] {
  const { parentId, userIdentifier } = task
  if (userIdentifier === "") return []
  const key = digestOf(keys, "requester", parentId, userIdentifier).subarray(0, KEY_LENGTH)
  const stored = store.get("requester", key)
  const earlier = stored === undefined ? [] : fromBinary(RequesterStateSchema, stored).startedAtMs
  const startedAtMs = earlier.filter((time) => Number(time) > nowMs - REQUESTED_MS)
  if (startedAtMs.length >= MAX_REQUESTED) throw limitExceeded()
  startedAtMs.push(BigInt(nowMs))
  const value = toBinary(RequesterStateSchema, create(RequesterStateSchema, { startedAtMs }))
  return [{ kind: "requester", key, expiresMs: nowMs + REQUESTED_MS, value }]
}

/** The contact as it counts now: without codes that have expired, and with a new day after the last. */
function readContact(stored: Uint8Array | undefined, nowMs: number): ContactState {
  const contact = stored === undefined ? create(ContactStateSchema) : fromBinary(ContactStateSchema, stored)
  contact.live = contact.live.filter(({ untilMs }) => Number(untilMs) > nowMs)
  if (Number(contact.dayEndsAtMs) > nowMs) return contact
  contact.dayEndsAtMs = BigInt(nowMs + DAY_MS)
  contact.unused = 0
  return contact
}

function contactRow(key: Uint8Array, contact: ContactState): CodeRow {
  const value = toBinary(ContactStateSchema, contact)
  return { kind: "contact", key, expiresMs: Number(contact.dayEndsAtMs), value }
}

/** Published clients match this text. */
function limitExceeded() {
  return refuse("OTP_LIMIT_EXCEEDED", "Max number of OTPs have been initiated please wait and try again")
}
