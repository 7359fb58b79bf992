import { createHash } from "node:crypto"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import type { Sources } from "./archive.ts"
import { type Artifact, comparePaths } from "./entry.ts"
import { NODE } from "./node.ts"
import { platformOf } from "./zones.ts"

/** Identifies this kind of build. docs/formats/release.md describes its parameters. */
const BUILD_TYPE = "urn:countersign:release:v1"

/**
 * An in-toto statement (v1) with provenance of SLSA (v1): these files were built from this commit, lock and Node. Whoever signs the
 * digests of the release signs it.
 */
export function provenanceOf(artifacts: readonly Artifact[], { root, commit, version }: Sources): string {
  const lock = createHash("sha256")
    .update(readFileSync(join(root, "package-lock.json")))
    .digest("hex")
  const statement = {
    _type: "https://in-toto.io/Statement/v1",
    subject: artifacts
      .toSorted((one, other) => comparePaths(one.name, other.name))
      .map(({ name, sha256 }) => ({ name, digest: { sha256 } })),
    predicateType: "https://slsa.dev/provenance/v1",
    predicate: {
      buildDefinition: {
        buildType: BUILD_TYPE,
        externalParameters: { version, platform: platformOf() },
        resolvedDependencies: [
          { name: "source", digest: { gitCommit: commit.id } },
          { name: "package-lock.json", digest: { sha256: lock } },
          { name: `node-${NODE.version}`, digest: { sha256: NODE.sha256[platformOf()] ?? "" } },
        ],
      },
      runDetails: {
        builder: { id: "urn:countersign:release:local" },
        // The same for every build of a commit, as the files are.
        metadata: { invocationId: commit.id },
      },
    },
  }
  return `${JSON.stringify(statement, undefined, 2)}\n`
}
