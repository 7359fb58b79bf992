import { counted } from "../../counted.ts"
import type { ShownActivity } from "./activity.ts"
import { failed, type Finding, notProven, proven, quoted, timeText } from "./finding.ts"
import { textIn } from "./json.ts"
import type { ProofStatement } from "./payload.ts"

/** Checks an address proof, and whether the activity shown is the one that created the address. */
export function findingsOfAddress(payload: ProofStatement, activity: ShownActivity | undefined): Finding[] {
  const [address, organizationId, walletId, path] = [
    "address",
    "organizationId",
    "walletId",
    "derivationPath",
  ].map((name) => textIn(payload.address, name)) as [string, string, string, string]
  const origin = walletId === "" ? "a private key" : `wallet ${walletId}, path ${path}`
  const findings = [
    proven(
      `the signer held the key of address ${address} for organization ${organizationId} (${origin}) ` +
        `at ${timeText(payload.timestampMs)}`,
    ),
    UNCOVERED,
  ]
  if (activity === undefined) return findings
  const isOfActivity =
    activity.organizationIds.includes(organizationId) &&
    (activity.addresses.includes(address) || activity.unlistedAddresses > 0)
  if (isOfActivity) return findings
  return [
    failed(
      `address ${quoted(address)} is not in the result of the activity shown: the proof belongs to another`,
    ),
  ]
}

const UNCOVERED = notProven(
  "who else has this key: import and export are outside the proof, and so is what happened to the key since",
)

/** Compares the addresses that have proofs with those that the activity created. */
export function findingsOfAddresses(
  provenAddresses: readonly (string | undefined)[],
  activity: ShownActivity,
): Finding[] {
  const unproven = activity.storesAddresses
    ? activity.addresses.filter((address) => !provenAddresses.includes(address))
    : []
  const faults = unproven.map((address) =>
    failed(`address ${quoted(address)} of the result has no proof: do not trust it`),
  )
  const { unlistedAddresses } = activity
  if (unlistedAddresses === 0) return faults
  if (provenAddresses.length !== unlistedAddresses) {
    return [
      ...faults,
      failed(
        `the activity created ${counted(unlistedAddresses, "address", "addresses")}; with a proof: ${provenAddresses.length}`,
      ),
    ]
  }
  return [
    ...faults,
    notProven(
      "that these addresses are those of the activity's keys: its result lists no addresses. The result of " +
        "CREATE_PRIVATE_KEYS_V2 does",
    ),
  ]
}
