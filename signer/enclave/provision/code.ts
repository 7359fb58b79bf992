import { createHash } from "node:crypto"
import { existsSync, readdirSync, readFileSync } from "node:fs"
import { join, relative } from "node:path"
import { listFileOf } from "../../core/release/file-list.ts"

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

/** The list of a release: every file that the signer can load or start, Node and packages among them. */
const RELEASED_LIST = join(ROOT, listFileOf("signer"))

let digest: string | undefined

/**
 * SHA-256 of the release's list, lower-case hexadecimal; `signer/enclave/main.ts` has compared the files with it. A checkout has no
 * list: there it is the digest of the program's own files, and covers neither Node nor packages. The files are read at the first
 * call, which happens at start.
 */
export function codeDigest(): string {
  digest ??= isRelease() ? sha256(readFileSync(RELEASED_LIST)) : digestOf(ROOT)
  return digest
}

/**
 * Equal to the output of
 *
 *     find package.json proto signer/{core,enclave,operator,process} -type f | LC_ALL=C sort | xargs sha256sum | sha256sum
 *
 * in the directory of package.json.
 */
export function digestOf(root: string): string {
  const lines = PARTS.flatMap((part) => filesOf(root, part))
    .toSorted()
    .map((file) => `${sha256(readFileSync(join(root, file)))}  ${file}\n`)
  return sha256(lines.join(""))
}

/** Name and version, from package.json. What is no release says so. */
export function release(): string {
  const { name, version } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8")) as {
    name: string
    version: string
  }
  return `${name} ${version}${isRelease() ? "" : "+checkout"}`
}

function isRelease(): boolean {
  return existsSync(RELEASED_LIST)
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
