import { createHash } from "node:crypto"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { platformOf } from "./zones.ts"

/**
 * The Node of a release. The lock file names the package `node`, whose script installs the program of a platform without a digest:
 * the digests are here. Those of another version are `sha256sum bin/node` in `npm pack node-PLATFORM@VERSION`.
 */
export const NODE = {
  version: "24.21.0",
  /** Terms of Node and of the libraries in it: LICENSE of that version. */
  licence: "scripts/release/licences/node-24.21.0.txt",
  sha256: {
    "linux-x64": "7fde7b8afa198da66257f42ee2001d874c7355631e6d1579a5fb5ef1f246df4c",
  } as { readonly [platform: string]: string },
} as const

/** Where the package of Node puts the program. */
export const INSTALLED_NODE = "node_modules/node/bin/node"

/** @throws when the installed program is not the one of this release */
export function readNode(root: string): Buffer {
  const expected = NODE.sha256[platformOf()]
  if (expected === undefined)
    throw new Error(
      `no release is made for ${platformOf()}: scripts/release/node.ts has no digest of its Node`,
    )
  const data = readFileSync(join(root, INSTALLED_NODE))
  const found = createHash("sha256").update(data).digest("hex")
  if (found !== expected)
    throw new Error(
      `${INSTALLED_NODE} is not Node ${NODE.version} (SHA-256 ${found}, expected ${expected}); run npm ci`,
    )
  return data
}
