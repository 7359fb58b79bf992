import type { JsonMembers } from "../../../../proto/strict-json.ts"
import type { Pins } from "../../../../proto/gen/countersign/state/v1/setup_pb.ts"
import { APP } from "../boot-manifest.ts"
import { failed, type Finding, notProven, quoted } from "./finding.ts"
import { isSameJson, objectIn, objectsIn, textIn } from "./json.ts"
import { pinsDigest } from "./trusted-pins.ts"

/** A boot proof with the two texts that it holds in base64, parsed. */
export type BootParts = { bootProof: JsonMembers; manifest: JsonMembers; envelope: JsonMembers }

/** The kind of attestation whose document has a member of its own. */
const AWS_NITRO = "aws-nitro"

/** Members that are compared, checked or named by a finding of their own. All others are listed as not compared. */
const KNOWN: Readonly<Record<keyof BootParts | "attestation", readonly string[]>> = {
  bootProof: [
    "ephemeralPublicKeyHex",
    "awsAttestationDocB64",
    "qosManifestB64",
    "qosManifestEnvelopeB64",
    "deploymentLabel",
    "enclaveApp",
    "owner",
    "createdAt",
    "qosManifestVersion",
  ],
  manifest: [
    "version",
    "app",
    "deploymentId",
    "pinsDigest",
    "release",
    "codeDigest",
    "configurationDigest",
    "ephemeralPublicKey",
    "bootedAtMs",
    "attestation",
  ],
  envelope: ["manifest", "approvals", "attestation"],
  attestation: ["kind", "document"],
}

/** Compares the manifest with key and pins, and the unsigned members with the manifest. */
export function faultsOfMembers(parts: BootParts, ephemeralKey: string, pins: Pins): Finding[] {
  return [...faultsOfManifest(parts.manifest, ephemeralKey, pins), ...faultsOfUnsigned(parts)]
}

/** The stated settings, and all members that are not compared. They are authentic only inside the manifest. */
export function findingsOfUncompared({ bootProof, manifest, envelope }: BootParts): Finding[] {
  const unknown = [
    ...unknownIn("boot proof", bootProof, KNOWN.bootProof),
    ...unknownIn("manifest", manifest, KNOWN.manifest),
    ...unknownIn("envelope", envelope, KNOWN.envelope),
    ...unknownIn("envelope's attestation", objectIn(envelope, "attestation"), KNOWN.attestation),
    ...(objectsIn(envelope, "approvals").length > 1 ? ["further approvals in the envelope"] : []),
  ]
  const digest = quoted(textIn(manifest, "configurationDigest"))
  return [
    notProven(`which settings it ran with: it stated configuration digest ${digest}, which is not compared`),
    ...(unknown.length > 0 ? [notProven(`what this verifier does not know: ${unknown.join(", ")}`)] : []),
  ]
}

function faultsOfManifest(manifest: JsonMembers, ephemeralKey: string, pins: Pins): Finding[] {
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
function faultsOfUnsigned({ bootProof, manifest, envelope }: BootParts): Finding[] {
  const kind = textIn(manifest, "attestation")
  const attestation = objectIn(envelope, "attestation")
  const document = textIn(attestation, "document")
  const expected: readonly (readonly [string, unknown])[] = [
    ["ephemeralPublicKeyHex", textIn(manifest, "ephemeralPublicKey")],
    ["enclaveApp", textIn(manifest, "app")],
    ["owner", textIn(manifest, "deploymentId")],
    ["deploymentLabel", textIn(manifest, "release")],
    ["awsAttestationDocB64", kind === AWS_NITRO ? document : ""],
    ["createdAt", timestampOf(textIn(manifest, "bootedAtMs"))],
    ["qosManifestVersion", textIn(manifest, "version")],
  ]
  const isOfKind = textIn(attestation, "kind") === kind && (kind !== "none" || document === "")
  return [
    ...expected.flatMap(([name, value]) =>
      isSameJson(value, bootProof[name])
        ? []
        : [failed(`the boot proof's ${name} differs from its manifest`)],
    ),
    ...(isOfKind ? [] : [failed("the envelope's attestation is of another kind than its manifest's")]),
  ]
}

/** The time as the public API writes it: seconds and nanoseconds, decimal. */
function timestampOf(unixMs: string): JsonMembers {
  const ms = Number(unixMs)
  return { seconds: String(Math.floor(ms / 1000)), nanos: String((ms % 1000) * 1_000_000) }
}

function unknownIn(what: string, json: JsonMembers, known: readonly string[]): string[] {
  return Object.keys(json)
    .filter((name) => !known.includes(name))
    .map((name) => `member ${quoted(name)} of the ${what}`)
}
