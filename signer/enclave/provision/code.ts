import { createHash } from "node:crypto"
import { readdirSync, readFileSync } from "node:fs"
import { join, relative } from "node:path"

const ROOT = join(import.meta.dirname, "..", "..", "..")

/** The signer's program, besides Node and the packages that package.json names with exact versions. */
const PARTS = [
  "package.json",
  "proto",
  "signer/core",
  "signer/enclave",
  "signer/operator",
  "signer/process",
] as const

let digest: string | undefined

/**
 * SHA-256 over the program's files, lower-case hexadecimal. Equal to the output of
 *
 *     find package.json proto signer/{core,enclave,operator,process} -type f | LC_ALL=C sort | xargs sha256sum | sha256sum
 *
 * in the directory of package.json. The files are read at the first call, which happens at start.
 */
export function codeDigest(): string {
  digest ??= digestOf(ROOT)
  return digest
}

export function digestOf(root: string): string {
  const lines = PARTS.flatMap((part) => filesOf(root, part))
    .toSorted()
    .map((file) => `${sha256(readFileSync(join(root, file)))}  ${file}\n`)
  return sha256(lines.join(""))
}

/** Name and version of the release, from package.json. */
export function release(): string {
  const { name, version } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8")) as {
    name: string
    version: string
  }
  return `${name} ${version}`
}

function filesOf(root: string, part: string): string[] {
  if (part.endsWith(".json")) return [part]
  return readdirSync(join(root, part), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(root, join(entry.parentPath, entry.name)))
}

function sha256(data: string | Uint8Array): string {
  return createHash("sha256").update(data).digest("hex")
}
