import { Refusal, refuse } from "../../../signer/core/refusal.ts"
import { readStampHeaders, type Stamp } from "../../../signer/core/stamp/read-stamp.ts"
import { isLargeBody } from "../../../signer/core/stamp/large-body.ts"
import type { CallerStores, StampValues } from "./authenticate.ts"
import { identifyQueryCaller, type InTurns } from "./query-caller.ts"

/** Ids that are looked up: parameters may hold one besides the body's own. */
const MAX_IDS = 2

const NAME = Buffer.from('"organizationId"')
const ORGANIZATION_ID =
  /^"organizationId"\s{0,16}:\s{0,16}"([0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12})"/
/** Longest text that the pattern matches. */
const PLACE_BYTES = NAME.length + 2 * 16 + 1 + 38
/** Places of the name that are looked at: a body may consist of them. */
const MAX_PLACES = 256

/** Refusals after which the next id is tried. */
const NOT_OF_ORGANIZATION: ReadonlySet<string> = new Set([
  "ORGANIZATION_UNKNOWN",
  "ORGANIZATION_DELETED",
  "CREDENTIAL_UNKNOWN",
  "PASSKEY_UNKNOWN",
])

/**
 * Verifies the stamp over the bytes of a large body before they are parsed: only a user can make this process parse one.
 * The organization is searched in the bytes, which decides nothing. The caller is identified again by the parsed body.
 *
 * @throws Refusal CREDENTIAL_UNKNOWN, PASSKEY_UNKNOWN, ORGANIZATION_UNKNOWN, ORGANIZATION_DELETED, REQUEST_INVALID, STAMP_MISSING, and the
 *   refusals of `requireOwnStamp`
 */
export async function requireStampOfLargeBody(
  body: Buffer,
  stamps: StampValues & { stamp: Stamp | undefined },
  stores: CallerStores,
  { nowMs, inTurns }: { nowMs: number; inTurns: InTurns },
): Promise<void> {
  if (!isLargeBody(body)) return
  const stamp = stamps.stamp ?? readStampHeaders(stamps)
  if (stamp.kind === "attested")
    throw refuse(
      "ATTESTED_STAMP_NOT_ALLOWED",
      "an attested stamp is for logins and votes, whose bodies are small",
    )
  let failure = refuse("REQUEST_INVALID", "invalid request body: missing field `organizationId`", {
    field: "organizationId",
  })
  for (const organizationId of organizationIdsIn(body)) {
    try {
      await identifyQueryCaller({ organizationId, stamp, body, nowMs, inTurns }, stores)
      return
    } catch (error) {
      if (!(error instanceof Refusal) || !NOT_OF_ORGANIZATION.has(error.code)) throw error
      failure = error
    }
  }
  throw failure
}

/** The first ids that the bytes give an organization. */
function organizationIdsIn(body: Buffer): string[] {
  const ids = new Set<string>()
  let at = body.indexOf(NAME)
  for (let place = 0; at >= 0 && place < MAX_PLACES && ids.size < MAX_IDS; place++) {
    const [, id] = ORGANIZATION_ID.exec(body.toString("latin1", at, at + PLACE_BYTES)) ?? []
    if (id !== undefined) ids.add(id.toLowerCase())
    at = body.indexOf(NAME, at + NAME.length)
  }
  return [...ids]
}
