// Verifies app proofs for anyone who relies on them. Pins, boot proofs and the activity are arguments, and nothing that
// the API tier showed is trusted.
import type { JsonMembers } from "../../../../proto/strict-json.ts"
import type { Pins } from "../../../../proto/gen/countersign/state/v1/setup_pb.ts"
import { ShownActivity } from "./activity.ts"
import { findingsOfAddress, findingsOfAddresses } from "./address.ts"
import { findingsOfBootProof } from "./boot-proof.ts"
import { findingsOfDecision } from "./decision.ts"
import { failed, type Finding, quoted } from "./finding.ts"
import { textIn } from "./json.ts"
import { type ProofStatement, readPayload } from "./payload.ts"
import { faultOfSignature, type ShownProof } from "./signature.ts"
import type { TrustedPins } from "./trusted-pins.ts"

export type { Finding } from "./finding.ts"
export type { ShownProof } from "./signature.ts"
export { findingsOfStamps } from "./stored.ts"

export type Evidence = {
  proofs: readonly ShownProof[]
  /** Boot proofs of any processes, as the public interface shows them. */
  bootProofs: readonly JsonMembers[]
  /** The deployment that the verifier trusts; undefined: the verifier knows none. */
  pins: Pins | undefined
  /** Pins that the deployment had before. They serve proofs of their own time. */
  formerPins?: readonly FormerPins[] | undefined
  /** The activity that the proofs came with, as it was shown. */
  activity?: JsonMembers | undefined
  /** Digest of the code that the verifier expects, lower-case hexadecimal. */
  codeDigest?: string | undefined
}

/** `validUntilMs`: when the pins were replaced, Unix milliseconds; undefined: they serve proofs of any time. */
export type FormerPins = { pins: Pins; validUntilMs: number | undefined }

/** The result of a verification. `verified`: every check of each proof, and of the proofs together, passed. */
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
    type: knownTypeOf(payloads[index]),
    findings: findingsOf(proof, payloads[index], activity, evidence),
  }))
  const together = findingsTogether(payloads, activity)
  const all = [...proofs.flatMap(({ findings }) => findings), ...together]
  return { verified: all.every(({ verdict }) => verdict !== "failed"), proofs, together }
}

function findingsOf(
  proof: ShownProof,
  payload: ProofStatement | undefined,
  activity: ShownActivity | undefined,
  evidence: Evidence,
): Finding[] {
  const fault = faultOfSignature(proof)
  if (fault !== undefined) return [fault]
  const boot = findingsOfKey(proof.publicKey, payload?.timestampMs ?? "", evidence)
  if (boot.some(({ verdict }) => verdict === "failed")) return boot
  if (payload === undefined) return [failed("its text is no statement")]
  return [...findingsOfPayload(payload, activity), ...boot]
}

const KNOWN_TYPES: readonly string[] = ["APP_PROOF_TYPE_ADDRESS_DERIVATION", "APP_PROOF_TYPE_POLICY_OUTCOME"]

/** The kind of a proof, "" if it is none: the text may be an attacker's. */
function knownTypeOf(payload: ProofStatement | undefined): string {
  return KNOWN_TYPES.find((type) => type === payload?.type) ?? ""
}

/** Checks the statement, and whether it is about the activity shown. */
function findingsOfPayload(payload: ProofStatement, activity: ShownActivity | undefined): Finding[] {
  switch (payload.type) {
    case "APP_PROOF_TYPE_ADDRESS_DERIVATION":
      return findingsOfAddress(payload, activity)
    case "APP_PROOF_TYPE_POLICY_OUTCOME":
      return findingsOfDecision(payload, activity)
    default:
      return [failed(`it is of a kind that this verifier does not know: ${quoted(payload.type)}`)]
  }
}

/** Checks the signer of a proof: a signature by an unknown key proves nothing. */
function findingsOfKey(publicKey: string, provenAtMs: string, evidence: Evidence): Finding[] {
  const { bootProofs, codeDigest } = evidence
  const own = bootProofs.find((bootProof) => textIn(bootProof, "ephemeralPublicKeyHex") === publicKey)
  if (own !== undefined) {
    const terms = { trusted: trustedPins(evidence), codeDigest, provenAtMs }
    return findingsOfBootProof(own, publicKey, terms)
  }
  const sentence =
    bootProofs.length === 0
      ? "there is no boot proof: nothing says whose key signed"
      : "the boot proof shown is of another process than the one whose key signed"
  return [failed(sentence)]
}

function trustedPins({ pins, formerPins = [] }: Evidence): TrustedPins[] {
  const current = pins === undefined ? [] : [{ pins, name: "pins", validUntilMs: undefined }]
  return [...current, ...formerPins.map((former) => ({ ...former, name: "former pins" }))]
}

/** Missing proofs show only when all proofs are seen together. */
function findingsTogether(
  payloads: readonly (ProofStatement | undefined)[],
  activity: ShownActivity | undefined,
): Finding[] {
  if (payloads.length === 0) return [failed("there are no app proofs: ask for them with generateAppProofs")]
  if (activity === undefined) return []
  const isDecided = payloads.some((payload) => payload?.type === "APP_PROOF_TYPE_POLICY_OUTCOME")
  const ofAddresses = payloads.filter((payload) => payload?.type === "APP_PROOF_TYPE_ADDRESS_DERIVATION")
  return [
    ...(isDecided ? [] : [failed("the proof of the decision is missing")]),
    ...findingsOfAddresses(
      ofAddresses.map((payload) => payload && textIn(payload.address, "address")),
      activity,
    ),
  ]
}
