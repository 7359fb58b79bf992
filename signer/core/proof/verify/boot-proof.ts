import { createHash } from "node:crypto"
import { create, toBinary } from "@bufbuild/protobuf"
import { type Pins, PinsSchema } from "../../../../proto/gen/countersign/state/v1/setup_pb.ts"
import { isSignedTagged, readPublicKeySet } from "../../crypto/keyset.ts"
import { APP, MANIFEST_TAG, MANIFEST_VERSION } from "../boot-manifest.ts"
import { failed, type Finding, notProven, proven, timeText } from "./finding.ts"
import { type Json, objectIn, objectsIn, readObject, textIn } from "./json.ts"

export type BootTerms = {
  /** The deployment that the verifier trusts. */
  pins: Pins
  /** Digest of the code that the verifier expects; undefined: any. */
  codeDigest: string | undefined
}

/**
 * Checks a boot proof of an ephemeral key. Only the pins are trusted: keys in the proof are compared with them and never
 * used.
 */
export function findingsOfBootProof(bootProof: Json, ephemeralKey: string, terms: BootTerms): Finding[] {
  const bytes = Buffer.from(textIn(bootProof, "qosManifestB64"), "base64")
  const manifest = readObject(bytes.toString())
  const envelope = readObject(Buffer.from(textIn(bootProof, "qosManifestEnvelopeB64"), "base64").toString())
  if (manifest === undefined || envelope === undefined || textIn(manifest, "version") !== MANIFEST_VERSION) {
    return [failed("the boot proof holds no manifest that this verifier knows")]
  }
  const faults = [
    ...faultsOfApproval(bytes, envelope, bootProof, terms.pins),
    ...faultsOfManifest(manifest, ephemeralKey, terms.pins),
    ...faultsOfUnsigned(bootProof, manifest, envelope),
  ]
  if (faults.length > 0) return faults
  const deployment = `deployment ${textIn(manifest, "deploymentId")}`
  const started = timeText(textIn(manifest, "bootedAtMs"))
  return [
    proven(
      `the key that signed belongs to a signer process of ${deployment}, as in your pins; it started ` +
        `at ${started} as ${textIn(manifest, "release")}. The notarizer's key says so`,
    ),
    findingOfCode(textIn(manifest, "codeDigest"), terms.codeDigest),
    findingOfAttestation(textIn(manifest, "attestation")),
  ]
}

function faultsOfApproval(manifest: Uint8Array, envelope: Json, bootProof: Json, pins: Pins): Finding[] {
  if (textIn(envelope, "manifest") !== textIn(bootProof, "qosManifestB64")) {
    return [failed("the boot proof's envelope is of another manifest")]
  }
  const notarizer = readPublicKeySet(pins.notarizerPublicKey)?.sign
  if (notarizer === undefined) return [failed("the pins hold no notarizer's key")]
  const isApproved = objectsIn(envelope, "approvals").some((approval) => {
    const signature = Buffer.from(textIn(approval, "signature"), "hex")
    return signature.length === 64 && isSignedTagged(notarizer, MANIFEST_TAG, manifest, signature)
  })
  return isApproved ? [] : [failed("the boot proof's manifest is not signed by the notarizer of your pins")]
}

function faultsOfManifest(manifest: Json, ephemeralKey: string, pins: Pins): Finding[] {
  const expected: readonly (readonly [string, string, string])[] = [
    ["app", APP, "the manifest is of another program"],
    [
      "ephemeralPublicKey",
      ephemeralKey,
      "the boot proof is of another process than the one whose key signed",
    ],
    ["deploymentId", pins.deploymentId, "the manifest is of another deployment than your pins"],
    ["pinsDigest", pinsDigest(pins), "the manifest was made under other pins than yours"],
  ]
  return expected.flatMap(([name, value, sentence]) =>
    textIn(manifest, name) === value ? [] : [failed(sentence)],
  )
}

/** Members beside the manifest are not signed, so they must equal the manifest's. */
function faultsOfUnsigned(bootProof: Json, manifest: Json, envelope: Json): Finding[] {
  const kind = textIn(manifest, "attestation")
  const document = textIn(objectIn(envelope, "attestation"), "document")
  const expected: readonly (readonly [string, string])[] = [
    ["ephemeralPublicKeyHex", textIn(manifest, "ephemeralPublicKey")],
    ["enclaveApp", textIn(manifest, "app")],
    ["owner", textIn(manifest, "deploymentId")],
    ["deploymentLabel", textIn(manifest, "release")],
    ["awsAttestationDocB64", kind === "aws-nitro" ? document : ""],
  ]
  return expected.flatMap(([name, value]) =>
    textIn(bootProof, name) === value ? [] : [failed(`the boot proof's ${name} differs from its manifest`)],
  )
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

/** Serialized as in docs/formats/pins.md: fields in the order of their numbers. */
function pinsDigest(pins: Pins): string {
  const { deploymentId, signerPublicKey, notarizerPublicKey, fetcherPublicKey } = pins
  const known = create(PinsSchema, { deploymentId, signerPublicKey, notarizerPublicKey, fetcherPublicKey })
  return createHash("sha256").update(toBinary(PinsSchema, known)).digest("hex")
}
