// Whether an answer is about the request that was stamped: the API tier chooses what it answers with.

/** Types whose answer is the activity that they vote on. */
const VOTE = /^ACTIVITY_TYPE_(?:APPROVE|REJECT)_ACTIVITY(?:_V\d+)?$/

/**
 * True if the activity of an answer is the one that the stamped body asks for, or votes on. Its fingerprint and words are what
 * people pass on to those who approve.
 *
 * @param digest SHA-256 of the body, hexadecimal
 */
export function isOwnActivity(fingerprint: unknown, body: string, digest: string): boolean {
  const { type, parameters } = JSON.parse(body) as { type?: string; parameters?: { fingerprint?: string } }
  const own = VOTE.test(type ?? "") ? parameters?.fingerprint : digest
  return typeof fingerprint === "string" && own !== undefined && bare(fingerprint) === bare(own)
}

function bare(fingerprint: string): string {
  return fingerprint.replace(/^sha256:/, "")
}
