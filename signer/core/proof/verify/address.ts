import type { ShownActivity } from "./activity.ts"
import { failed, type Finding, proven, timeText } from "./finding.ts"
import { textIn } from "./json.ts"
import type { Payload } from "./payload.ts"

/** Checks an address proof, and whether the activity shown is the one that created the address. */
export function findingsOfAddress(payload: Payload, activity: ShownActivity | undefined): Finding[] {
  const [address, organizationId, walletId, path] = [
    "address",
    "organizationId",
    "walletId",
    "derivationPath",
  ].map((name) => textIn(payload.address, name)) as [string, string, string, string]
  const origin = walletId === "" ? "a private key" : `wallet ${walletId}, path ${path}`
  const statement = `the signer holds the key of address ${address} for organization ${organizationId} (${origin}), since ${timeText(payload.timestampMs)}`
  if (activity === undefined) return [proven(statement)]
  const isOfActivity =
    activity.addresses.includes(address) && activity.organizationIds.includes(organizationId)
  return isOfActivity
    ? [proven(statement)]
    : [failed(`address ${address} is not in the result of the activity shown: the proof belongs to another`)]
}
