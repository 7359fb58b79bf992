import type { JsonMembers } from "../../../../proto/strict-json.ts"
import { readBase64, readHex } from "../../encodings.ts"
import { isSignedTagged, readPublicKeySet } from "../../crypto/keyset.ts"
import { MANIFEST_TAG, MANIFEST_VERSION } from "../boot-manifest.ts"
import { faultsOfMembers, findingsOfUncompared } from "./boot-members.ts"
import { failed, type Finding, notProven, proven, timeText } from "./finding.ts"
import { objectsIn, readObject, textIn } from "./json.ts"
import { choosePins, type TrustedPins } from "./trusted-pins.ts"

const NO_BYTES = Buffer.alloc(0)

export type BootTerms = {
  /** The deployment that the verifier trusts: its pins of today first, then former ones. */
  trusted: readonly TrustedPins[]
  /** Digest of the code that the verifier expects; undefined: any. */
  codeDigest: string | undefined
  /** Time of the app proof, Unix milliseconds in decimal digits. */
  provenAtMs: string
}

/**
 * Checks a boot proof of an ephemeral key. Only the pins are trusted: keys in the proof are compared with them and never
 * used.
 */
export function findingsOfBootProof(
  bootProof: JsonMembers,
  ephemeralKey: string,
  terms: BootTerms,
): Finding[] {
  const bytes = readBase64(textIn(bootProof, "qosManifestB64")) ?? NO_BYTES
  const manifest = readObject(bytes.toString())
  const envelope = readObject(
    (readBase64(textIn(bootProof, "qosManifestEnvelopeB64")) ?? NO_BYTES).toString(),
  )
  if (manifest === undefined || envelope === undefined || textIn(manifest, "version") !== MANIFEST_VERSION) {
    return [failed("the boot proof holds no manifest that this verifier knows")]
  }
  const chosen = choosePins(terms.trusted, textIn(manifest, "pinsDigest"))
  if (chosen === undefined)
    return [failed("there are no pins to compare with: nothing says whose key signed")]
  const faults = [
    ...faultsOfApproval(bytes, envelope, bootProof, chosen.pins.notarizerPublicKey),
    ...faultsOfMembers({ bootProof, manifest, envelope }, ephemeralKey, chosen.pins),
    ...faultsOfTime([textIn(manifest, "bootedAtMs"), terms.provenAtMs], chosen),
  ]
  if (faults.length > 0) return faults
  const deployment = `deployment ${textIn(manifest, "deploymentId")}`
  const started = timeText(textIn(manifest, "bootedAtMs"))
  return [
    proven(
      `the key that signed belongs to a signer process of ${deployment}, as in your ${chosen.name}; it started ` +
        `at ${started} as ${textIn(manifest, "release")}. The notarizer's key says so`,
    ),
    findingOfCode(textIn(manifest, "codeDigest"), terms.codeDigest),
    findingOfAttestation(textIn(manifest, "attestation")),
    ...findingsOfUncompared({ bootProof, manifest, envelope }),
  ]
}

/** The notarizer of the pins approved the manifest, and the approval names no other key. */
function faultsOfApproval(
  manifest: Uint8Array,
  envelope: JsonMembers,
  bootProof: JsonMembers,
  notarizerPublicKey: string,
): Finding[] {
  if (textIn(envelope, "manifest") !== textIn(bootProof, "qosManifestB64")) {
    return [failed("the boot proof's envelope is of another manifest")]
  }
  const notarizer = readPublicKeySet(notarizerPublicKey)?.sign
  if (notarizer === undefined) return [failed("the pins hold no notarizer's key")]
  const approval = objectsIn(envelope, "approvals").find((one) => {
    const signature = readHex(textIn(one, "signature"))
    return signature.length === 64 && isSignedTagged(notarizer, MANIFEST_TAG, manifest, signature)
  })
  if (approval === undefined) {
    return [failed("the boot proof's manifest is not signed by the notarizer of your pins")]
  }
  const isNamed =
    textIn(approval, "by") === "notarizer" && textIn(approval, "publicKey") === notarizerPublicKey.slice(-130)
  return isNamed ? [] : [failed("the boot proof's approval names another key than the one that signed it")]
}

/** Former pins serve proofs of their own time only. */
function faultsOfTime(timesMs: readonly string[], { pins, validUntilMs }: TrustedPins): Finding[] {
  if (validUntilMs === undefined) return []
  const isInTime = timesMs.every((text) => /^\d{1,16}$/.test(text) && Number(text) <= validUntilMs)
  if (isInTime) return []
  const until = timeText(String(validUntilMs))
  return [
    failed(`the proof was made after your former pins of deployment ${pins.deploymentId} ended, at ${until}`),
  ]
}

function findingOfCode(stated: string, expected: string | undefined): Finding {
  if (expected === undefined) {
    return notProven(
      `which code it ran: it stated code digest ${stated}; compare it with the release you know`,
    )
  }
  if (expected === stated) return proven(`it stated the code digest that you expect, ${stated}`)
  return failed(`it stated code digest ${stated}, and you expect ${expected}`)
}

function findingOfAttestation(kind: string): Finding {
  if (kind === "none") {
    return notProven(
      "that this code really ran: its host gives no attestation, so the code digest is the process's own word",
    )
  }
  return notProven(`that this code really ran: this verifier does not check attestations of kind ${kind}`)
}
