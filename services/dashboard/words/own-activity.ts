// Checks that an answer is about the stamped request: the API tier could answer with another activity.
import { Authority } from "../../../proto/gen/countersign/api/v1/options_pb.ts"
import { Refusal } from "../../../signer/core/refusal.ts"
import { readBodyText } from "../../../signer/core/request/read-body.ts"

/**
 * True if the activity of an answer is the one that the stamped body asks for, or votes on. Its fingerprint and words are what
 * people pass on to those who approve.
 *
 * @param digest SHA-256 of the body, hexadecimal
 */
export function isOwnActivity(fingerprint: unknown, body: string, digest: string): boolean {
  return fingerprint === (fingerprintOfVote(body) ?? `sha256:${digest}`)
}

/** The fingerprint that a vote names; undefined: the body is no vote that the signer reads. */
function fingerprintOfVote(body: string): string | undefined {
  try {
    const { activity, parameters } = readBodyText(body)
    return activity.authority === Authority.VOTE ? String(parameters.fingerprint) : undefined
  } catch (error) {
    if (error instanceof Refusal) return undefined
    throw error
  }
}
