import { createHash } from "node:crypto"
import type { Sources } from "./archive.ts"
import { nameOf, type ShippedPackage } from "./licences.ts"
import { NODE } from "./node.ts"
import { platformOf } from "./zones.ts"

/** A library of the building host in an image. */
export type HostLibrary = { name: string; version: string; distribution: string }

/**
 * The components of an archive or image, as CycloneDX 1.5: Node, packages with their digests and terms, and which needs which. Serial
 * number and time follow from commit and name.
 */
export function sbomOf(
  name: string,
  packages: readonly ShippedPackage[],
  { commit, version, node, lock }: Sources,
  libraries: readonly HostLibrary[] = [],
): string {
  const root = `pkg:generic/${name}@${version}`
  const refs = new Map(packages.map(({ path, locked }) => [path, purlOf(nameOf(path), locked.version)]))
  const nodeRef = `pkg:generic/node@${NODE.version}?arch=${platformOf()}`
  const sha256 = createHash("sha256").update(node).digest("hex")
  const dependencies = packages.map(({ path, locked }) => ({
    ref: refs.get(path),
    dependsOn: unique(
      Object.keys(locked.dependencies ?? {}).flatMap((one) => refs.get(found(path, one)) ?? []),
    ),
  }))
  const bom = {
    $schema: "http://cyclonedx.org/schema/bom-1.5.schema.json",
    bomFormat: "CycloneDX",
    specVersion: "1.5",
    serialNumber: `urn:uuid:${uuidOf(`${commit.id} ${name}`)}`,
    version: 1,
    metadata: {
      timestamp: new Date(commit.seconds * 1000).toISOString(),
      component: {
        type: "application",
        "bom-ref": root,
        name,
        version,
        licenses: licencesOf("Apache-2.0"),
        purl: root,
      },
      properties: [{ name: "commit", value: commit.id }],
    },
    components: [
      {
        type: "platform",
        "bom-ref": nodeRef,
        name: "node",
        version: NODE.version,
        purl: nodeRef,
        hashes: [{ alg: "SHA-256", content: sha256 }],
      },
      ...packages.map((one) => componentOf(one, refs.get(one.path) ?? "")),
      ...libraries.map(libraryOf),
    ],
    dependencies: [{ ref: root, dependsOn: unique([nodeRef, ...refs.values()]) }, ...merged(dependencies)],
  }
  return `${JSON.stringify(bom, undefined, 2)}\n`

  /** The folder of a package that the one at `path` needs. */
  function found(path: string, needed: string): string {
    for (let at = path; at !== ""; at = at.slice(0, Math.max(at.lastIndexOf("/node_modules/"), 0))) {
      const inside = `${at}/node_modules/${needed}`
      if (lock.packages[inside] !== undefined) return inside
    }
    return `node_modules/${needed}`
  }
}

function componentOf({ path, locked: { version, license, integrity } }: ShippedPackage, ref: string) {
  const [, base64] = /^sha512-(.+)$/.exec(integrity ?? "") ?? []
  return {
    type: "library",
    // A package that is there twice has one entry for each folder.
    "bom-ref": ref,
    name: nameOf(path),
    version,
    ...(license !== undefined && { licenses: licencesOf(license) }),
    purl: ref,
    ...(base64 !== undefined && {
      hashes: [{ alg: "SHA-512", content: Buffer.from(base64, "base64").toString("hex") }],
    }),
  }
}

function libraryOf({ name, version, distribution }: HostLibrary) {
  const purl = `pkg:deb/${distribution}/${name}@${encodeURIComponent(version)}`
  return { type: "library", "bom-ref": purl, name, version, purl }
}

/** Terms as packages write them: an expression of SPDX, or words. */
function licencesOf(license: string) {
  return /^[\w.+-]+$/.test(license) || /\b(?:AND|OR|WITH)\b/.test(license)
    ? [{ expression: license }]
    : [{ license: { name: license } }]
}

function purlOf(name: string, version: string): string {
  return `pkg:npm/${name.replace("@", "%40")}@${version}`
}

/** One entry for a package that is there twice in one version. */
function merged(list: readonly { ref: string | undefined; dependsOn: string[] }[]) {
  const byRef = new Map<string, string[]>()
  for (const { ref = "", dependsOn } of list)
    byRef.set(ref, unique([...(byRef.get(ref) ?? []), ...dependsOn]))
  return [...byRef].map(([ref, dependsOn]) => ({ ref, dependsOn }))
}

function unique(values: readonly string[]): string[] {
  return [...new Set(values)].toSorted()
}

/** A UUID of version 8 (RFC 9562) from a text. */
function uuidOf(text: string): string {
  const bytes = createHash("sha256").update(text).digest().subarray(0, 16)
  bytes.writeUInt8((bytes.readUInt8(6) & 0x0f) | 0x80, 6)
  bytes.writeUInt8((bytes.readUInt8(8) & 0x3f) | 0x80, 8)
  return bytes.toString("hex").replace(/^(.{8})(.{4})(.{4})(.{4})/, "$1-$2-$3-$4-")
}
