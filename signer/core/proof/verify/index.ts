// Verifies app proofs for anyone who relies on them. Pins, boot proofs and the activity are arguments, and nothing that
// the API tier showed is trusted.
import type { Pins } from "../../../../proto/gen/countersign/state/v1/setup_pb.ts"
import { ShownActivity } from "./activity.ts"
import { findingsOfAddress } from "./address.ts"
import { findingsOfBootProof } from "./boot-proof.ts"
import { findingsOfDecision } from "./decision.ts"
import { failed, type Finding } from "./finding.ts"
import { type Json, textIn } from "./json.ts"
import { type Payload, readPayload } from "./payload.ts"
import { faultOfSignature, type ShownProof } from "./signature.ts"

export type { Finding } from "./finding.ts"
export type { ShownProof } from "./signature.ts"

export type Evidence = {
  proofs: readonly ShownProof[]
  /** Boot proofs of any processes, as the public interface shows them. */
  bootProofs: readonly Json[]
  /** The deployment that the verifier trusts; undefined: the verifier knows none. */
  pins: Pins | undefined
  /** The activity that the proofs came with, as it was shown. */
  activity?: Json | undefined
  /** Digest of the code that the verifier expects, lower-case hexadecimal. */
  codeDigest?: string | undefined
}

/** The result of a verification. `verified`: no check failed, neither of a proof nor of all together. */
export type Report = {
  verified: boolean
  proofs: { type: string; findings: Finding[] }[]
  /** Findings about the proofs together, if an activity was shown. */
  together: Finding[]
}

export function verifyProofs(evidence: Evidence): Report {
  const activity = evidence.activity && new ShownActivity(evidence.activity)
  const payloads = evidence.proofs.map(({ proofPayload }) => readPayload(proofPayload))
  const proofs = evidence.proofs.map((proof, index) => ({
    type: payloads[index]?.type ?? "",
    findings: findingsOf(proof, payloads[index], activity, evidence),
  }))
  const together = findingsTogether(payloads, activity)
  const all = [...proofs.flatMap(({ findings }) => findings), ...together]
  return { verified: all.every(({ verdict }) => verdict !== "failed"), proofs, together }
}

function findingsOf(
  proof: ShownProof,
  payload: Payload | undefined,
  activity: ShownActivity | undefined,
  evidence: Evidence,
): Finding[] {
  const fault = faultOfSignature(proof)
  if (fault !== undefined) return [fault]
  const boot = findingsOfKey(proof.publicKey, evidence)
  if (boot.some(({ verdict }) => verdict === "failed")) return boot
  if (payload === undefined) return [failed("its text is no statement")]
  return [...findingsOfPayload(payload, activity), ...boot]
}

/** Checks the statement, and whether it is about the activity shown. */
function findingsOfPayload(payload: Payload, activity: ShownActivity | undefined): Finding[] {
  switch (payload.type) {
    case "APP_PROOF_TYPE_ADDRESS_DERIVATION":
      return findingsOfAddress(payload, activity)
    case "APP_PROOF_TYPE_POLICY_OUTCOME":
      return findingsOfDecision(payload, activity)
    default:
      return [failed(`it is of a kind that this verifier does not know: ${payload.type}`)]
  }
}

/** Checks the signer of a proof: a signature by an unknown key proves nothing. */
function findingsOfKey(publicKey: string, { bootProofs, pins, codeDigest }: Evidence): Finding[] {
  if (pins === undefined) return [failed("there are no pins to compare with: nothing says whose key signed")]
  const own = bootProofs.find((bootProof) => textIn(bootProof, "ephemeralPublicKeyHex") === publicKey)
  if (own !== undefined) return findingsOfBootProof(own, publicKey, { pins, codeDigest })
  const sentence =
    bootProofs.length === 0
      ? "there is no boot proof: nothing says whose key signed"
      : "the boot proof shown is of another process than the one whose key signed"
  return [failed(sentence)]
}

/** Missing proofs show only when all proofs are seen together. */
function findingsTogether(
  payloads: readonly (Payload | undefined)[],
  activity: ShownActivity | undefined,
): Finding[] {
  if (payloads.length === 0) return [failed("there are no app proofs: ask for them with generateAppProofs")]
  if (activity === undefined) return []
  const isDecided = payloads.some((payload) => payload?.type === "APP_PROOF_TYPE_POLICY_OUTCOME")
  const provenAddresses = payloads.map((payload) => payload && textIn(payload.address, "address"))
  const unproven = activity.storesAddresses
    ? activity.addresses.filter((address) => !provenAddresses.includes(address))
    : []
  return [
    ...(isDecided ? [] : [failed("the proof of the decision is missing")]),
    ...unproven.map((address) => failed(`address ${address} of the result has no proof: do not trust it`)),
  ]
}
