import { packTexts, unpackTexts } from "./packed-texts.ts"
import type { StoredVote } from "./stored-vote.ts"

/** Contents of an activity, beside its status and its ids. */
export type Contents = {
  userId: string
  createdMs: number
  /** JSON. */
  intent: string
  /** In the order cast. */
  votes: StoredVote[]
  /** JSON; null until completed. */
  result: string | null
  /** JSON: a list; null unless the request asked for proofs. */
  appProofs: string | null
}

type Common = Pick<StoredVote, "message" | "userId" | "createdMs" | "selection">
type Stamp = Pick<StoredVote, "id" | "publicKey" | "signature" | "scheme">
/** A vote without its id and its stamp. Members equal to those of the activity's first vote are left out. */
type Rest = Partial<Common> & Omit<StoredVote, keyof Common | keyof Stamp>

/** Texts before the votes, and texts of each vote. */
const HEAD = 4
const OF_VOTE = 5

/**
 * Contents as hexadecimal digits of packed texts: the first vote's body, the intent, the result, the proofs, then each vote.
 * A vote has its id, public key, signature, scheme, and the rest as JSON, if it has any. The intent is its name alone if the
 * body has its parameters word for word.
 *
 * @throws {TypeError} text that is not well-formed
 */
export function packContents({ userId, createdMs, intent, votes, result, appProofs }: Contents): string {
  const body = votes[0]?.message ?? null
  const common = commonOf(body, { userId, createdMs })
  const packed = votes.flatMap((vote) => [
    vote.id,
    vote.publicKey,
    vote.signature,
    vote.scheme,
    restOf(vote, common),
  ])
  return packTexts([body, nameOrIntent(intent, body), result, appProofs, ...packed])
}

function commonOf(
  body: string | null,
  { userId, createdMs }: Pick<Contents, "userId" | "createdMs">,
): Common {
  return { message: body ?? "", userId, createdMs, selection: "VOTE_SELECTION_APPROVED" }
}

function restOf(vote: StoredVote, common: Common): string | null {
  const { policyOutcomes, listedOutcomes, voterIds, mfaStatuses, logReceipt } = vote
  const own = <Name extends keyof Common>(name: Name) =>
    vote[name] === common[name] ? undefined : vote[name]
  const text = JSON.stringify({
    message: own("message"),
    userId: own("userId"),
    createdMs: own("createdMs"),
    selection: own("selection"),
    policyOutcomes,
    listedOutcomes,
    voterIds,
    mfaStatuses,
    logReceipt,
  })
  return text === "{}" ? null : text
}

/** @throws {RangeError} bytes of no such form */
export function unpackContents(
  bytes: Uint8Array,
  own: Pick<Contents, "userId" | "createdMs">,
): Omit<Contents, "userId" | "createdMs"> {
  const texts = unpackTexts(bytes)
  const [body = null, intent, result = null, appProofs = null] = texts
  if (typeof intent !== "string") throw new RangeError("an activity without its intent")
  const common = commonOf(body, own)
  const votes: StoredVote[] = []
  for (let at = HEAD; at < texts.length; at += OF_VOTE)
    votes.push(readVote(texts.slice(at, at + OF_VOTE), common))
  return { intent: intent.startsWith("{") ? intent : intentIn(body ?? "", intent), votes, result, appProofs }
}

function readVote([id, publicKey, signature, scheme, rest]: (string | null)[], common: Common): StoredVote {
  if (!(id && typeof publicKey === "string" && typeof signature === "string" && typeof scheme === "string"))
    throw new RangeError("a vote without its stamp")
  return { id, ...common, publicKey, signature, scheme, ...(rest ? (JSON.parse(rest) as Rest) : {}) }
}

/** The intent's name if its parameters can be read from the body again, else the whole intent. */
function nameOrIntent(intent: string, body: string | null): string {
  const name = intent.slice(2, intent.indexOf('"', 2))
  return body !== null && intentIn(body, name) === intent ? name : intent
}

/** The intent of a body whose parameters need no reading: no member is unknown, none is null. "": it is no such body. */
function intentIn(body: string, name: string): string {
  const parameters = parametersOf(body)
  return parameters === undefined ? "" : `{"${name}":${JSON.stringify(parameters)}}`
}

function parametersOf(body: string): unknown {
  try {
    return (JSON.parse(body) as { parameters?: unknown }).parameters
  } catch {
    return undefined
  }
}

/** Characters of the contents as they are shown, about. */
export function textLength({ intent, votes, result, appProofs }: Contents): number {
  const shown = votes.reduce((sum, { message, signature }) => sum + message.length + signature.length, 0)
  return intent.length + shown + (result?.length ?? 0) + (appProofs?.length ?? 0)
}
