import { createHash } from "node:crypto"
import { type ApiKey, stamp } from "../../services/terminal-client/api-key.ts"

const id = (digit: number) => `0198c0de-0000-7000-8000-00000000000${digit}`

export const [ORGANIZATION, ALICE, MALLORY] = [id(1), id(2), id(3)] as [string, string, string]

const ACTIVITY = id(9)

export type WaitingActivity = ReturnType<typeof waitingActivity>

/** A genuine stamped request that waits, as the API shows it. */
export function waitingActivity(key: ApiKey, type: string, intent: string, parameters: object) {
  const message = JSON.stringify({
    type: `ACTIVITY_TYPE_${type}`,
    timestampMs: String(Date.now()),
    organizationId: ORGANIZATION,
    parameters,
  })
  const header = Buffer.from(stamp(key, message), "base64url").toString()
  const { publicKey, scheme, signature } = JSON.parse(header) as { [member: string]: string }
  const vote = { userId: ALICE, user: { userId: ALICE, userName: "alice" }, activityId: ACTIVITY, message }
  const createdAt = "2026-11-24T12:00:00Z"
  return {
    id: ACTIVITY,
    organizationId: ORGANIZATION,
    type: `ACTIVITY_TYPE_${type}`,
    status: "ACTIVITY_STATUS_CONSENSUS_NEEDED",
    fingerprint: fingerprintOf(message),
    intent: { [intent]: parameters },
    result: {},
    votes: [{ ...vote, selection: "VOTE_SELECTION_APPROVED", publicKey, scheme, signature, createdAt }],
  }
}

function fingerprintOf(message: string): string {
  return `sha256:${createHash("sha256").update(message).digest("hex")}`
}

/**
 * The same activity with one part of it altered by an API that wants another request approved, by the name of the part.
 * Each differs from the genuine one in what it shows or in what it proves.
 * @param other a genuine request of the same type by another key
 */
export function alterations(
  genuine: WaitingActivity,
  other: WaitingActivity,
): readonly (readonly [part: string, altered: object])[] {
  const [vote] = genuine.votes
  const [others] = other.votes
  if (vote === undefined || others === undefined) throw new Error("each has its submission")
  const withVote = (change: object) => ({ ...genuine, votes: [{ ...vote, ...change }] })
  const [name = "", parameters = {}] = Object.entries(genuine.intent)[0] ?? []
  const flipped = `${vote.signature?.slice(0, -1)}${vote.signature?.endsWith("0") ? "1" : "0"}`
  return [
    ["the intent", { ...genuine, intent: other.intent }],
    ["the intent's name", { ...genuine, intent: { [`${name}V2`]: parameters } }],
    ["a member more", { ...genuine, intent: { [name]: { ...parameters, notes: "harmless" } } }],
    ["all members less", { ...genuine, intent: { [name]: {} } }],
    [
      "a second intent",
      { ...genuine, intent: { ...genuine.intent, deleteUsersIntent: { userIds: [ALICE] } } },
    ],
    ["the type", { ...genuine, type: "ACTIVITY_TYPE_DELETE_USERS" }],
    ["the fingerprint", { ...genuine, fingerprint: other.fingerprint }],
    ["the body", withVote({ message: others.message })],
    ["one character of the body", withVote({ message: `${vote.message} ` })],
    [
      "body, intent and fingerprint, without the stamp",
      { ...withVote({ message: others.message }), intent: other.intent, fingerprint: other.fingerprint },
    ],
    ["the signature", withVote({ signature: flipped })],
    ["the signature of another request", withVote({ signature: others.signature })],
    ["the key", withVote({ publicKey: others.publicKey })],
    ["the scheme", withVote({ scheme: "SIGNATURE_SCHEME_TK_API_SECP256K1" })],
    ["a vote that is shown as a rejection", withVote({ selection: "VOTE_SELECTION_REJECTED" })],
    ["the vote of another activity", withVote({ activityId: id(8) })],
    ["the vote with another user's record", withVote({ user: { userId: MALLORY, userName: "alice" } })],
    ["no vote", { ...genuine, votes: [] }],
  ]
}
