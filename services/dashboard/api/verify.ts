// Verifies what the API showed, with the same files as `countersign verify proof`. Loaded when a page needs it.
import type { JsonMembers } from "../../../proto/strict-json.ts"
import { fromJson } from "@bufbuild/protobuf"
import { PinsSchema } from "../../../proto/gen/countersign/state/v1/setup_pb.ts"
import { ShownActivity } from "../../../signer/core/proof/verify/activity.ts"
import { type Finding, verifyProofs } from "../../../signer/core/proof/verify/index.ts"
import { pinsDigest as digestOfPins } from "../../../signer/core/proof/verify/trusted-pins.ts"
import { faultOfVote } from "../../../signer/core/proof/verify/votes.ts"
import { type ReadBody, readBodyText } from "../../../signer/core/request/read-body.ts"
import { Refusal } from "../../../signer/core/refusal.ts"
import type { WholeActivityJson } from "../../common/activity-json.ts"
import type { PinsJson } from "./config.ts"

/**
 * `proven`: the signer's proof covers what is shown. `stamped`: the stamps cover the request, and there is no proof of the
 * decision. `false`: what is shown contradicts its stamps or proofs. `unchecked`: the browser could not check it.
 */
export type ProofCheck = {
  verdict: "proven" | "stamped" | "false" | "unchecked"
  findings: Finding[]
  /** The stamped request; undefined: it does not have the fingerprint. */
  body: string | undefined
  /** The request as the signer reads it; undefined: there is none, or the signer refuses it. */
  request: ReadBody | undefined
}

export function check(
  activity: WholeActivityJson,
  bootProofs: readonly object[],
  pins: PinsJson | undefined,
): ProofCheck {
  const json = activity as unknown as JsonMembers
  const shown = new ShownActivity(json)
  const { body } = shown
  const request = body === undefined ? undefined : readStamped(body)
  const stamps = findingsOfStamps(shown, body)
  const isFalse = stamps.some(({ verdict }) => verdict === "failed")
  if (isFalse || (activity.appProofs ?? []).length === 0)
    return { verdict: isFalse ? "false" : "stamped", findings: stamps, body, request }
  const report = verifyProofs({
    proofs: activity.appProofs ?? [],
    bootProofs: bootProofs as JsonMembers[],
    pins: pins === undefined ? undefined : fromJson(PinsSchema, pins as never),
    activity: json,
  })
  const findings = [...stamps, ...report.proofs.flatMap((proof) => proof.findings), ...report.together]
  if (report.verified) return { verdict: "proven", findings, body, request }
  return { verdict: pins === undefined ? "stamped" : "false", findings, body, request }
}

function readStamped(body: string): ReadBody | undefined {
  try {
    return readBodyText(body)
  } catch (error) {
    if (error instanceof Refusal) return undefined
    throw error
  }
}

/** Checks the stamps alone: the request is the one that its fingerprint names, and each vote covers it. */
function findingsOfStamps(shown: ShownActivity, body: string | undefined): Finding[] {
  if (body === undefined || !shown.hasRequestOf(body))
    return [{ verdict: "failed", sentence: "the request shown is not the one that was stamped" }]
  const faults = shown.votes.map((vote) => faultOfVote(vote, shown)).filter((fault) => fault !== undefined)
  if (faults.length > 0) return faults
  const count = shown.votes.length
  const stamps = count === 1 ? "the stamp of its one vote is" : `the stamps of its ${count} votes are`
  return [
    {
      verdict: "proven",
      sentence: `the fingerprint is the digest of exactly this request, and ${stamps} valid`,
    },
  ]
}

/** SHA-256 of the pins, as `countersign-signer pins` prints it. */
export function pinsDigest(pins: PinsJson): string {
  return digestOfPins(fromJson(PinsSchema, pins as never))
}
