import { readFile } from "node:fs/promises"
import { join } from "node:path"
import { ROOT } from "../run.ts"

const RPC = ["@bufbuild/protobuf", "@grpc/grpc-js"]
const CORE = ["@noble/curves", "@noble/hashes"]
const HTTP = ["@koa/router", "koa", "pino", "prom-client"]

/** The packages that the programs of each image import. Everything else of an image's lock is what these need. */
export const IMAGE_PACKAGES: { readonly [image: string]: readonly string[] } = {
  signer: [
    ...RPC,
    ...CORE,
    "@noble/ciphers",
    "@scure/base",
    "@scure/bip39",
    "secp256k1",
    "shamir-secret-sharing",
    "tiny-secp256k1",
    "uqr",
  ],
  fetcher: [...RPC, "@scure/base", "@scure/bip39", "nodemailer", "shamir-secret-sharing"],
  api: [
    ...RPC,
    ...CORE,
    ...HTTP,
    "@scure/base",
    "@scure/bip39",
    "marked",
    "minisearch",
    "pg-boss",
    "postgres",
  ],
  worker: [
    "@bufbuild/protobuf",
    "@noble/hashes",
    "@scure/base",
    "pg-boss",
    "pino",
    "postgres",
    "prom-client",
  ],
  "auth-proxy": ["@bufbuild/protobuf", ...HTTP, "@scure/bip39", "shamir-secret-sharing"],
  dashboard: ["pino"],
  // Its stage bundles the pages. None of these runs in an image.
  "dashboard-build": [
    "@bufbuild/protobuf",
    "@codemirror/autocomplete",
    "@codemirror/commands",
    "@codemirror/language",
    "@codemirror/lint",
    "@codemirror/state",
    "@codemirror/view",
    "@lezer/highlight",
    ...CORE,
    "@preact/signals",
    "@scure/base",
    "@scure/bip39",
    "preact",
    "uplot",
    "uqr",
    "vite",
  ],
}

export type Locked = {
  version: string
  /** Absent where another package brings it. */
  integrity?: string
  license?: string
  /** npm leaves it out where it cannot be installed. */
  optional?: boolean
  dependencies?: { [name: string]: string }
  optionalDependencies?: { [name: string]: string }
}
export type LockFile = { packages: { [path: string]: Locked } } & { [member: string]: unknown }

/** `package.json` and `package-lock.json` of each image: the part of the project's own that the image needs. */
export async function imagePackageFiles(): Promise<{ [path: string]: string }> {
  const lock = JSON.parse(await readFile(join(ROOT, "package-lock.json"), "utf8")) as LockFile
  const files: { [path: string]: string } = {}
  for (const [image, names] of Object.entries(IMAGE_PACKAGES)) {
    const manifest = manifestOf(image, names.toSorted(), lock)
    files[`images/${image}/package.json`] = json(manifest)
    files[`images/${image}/package-lock.json`] = json(neededPart(lock, manifest))
  }
  return files
}

type Manifest = ReturnType<typeof manifestOf>

function manifestOf(image: string, names: readonly string[], lock: LockFile) {
  const { version = "", license = "", dependencies = {} } = lock.packages[""] ?? {}
  const versions = names.map((name) => [name, dependencies[name] ?? missing(name)] as const)
  return { name: `countersign-${image}`, version, license, dependencies: Object.fromEntries(versions) }
}

/** The part of the lock that the manifest's dependencies need. */
function neededPart(lock: LockFile, manifest: Manifest): LockFile {
  const { lockfileVersion } = lock
  const kept = neededPackages(lock, Object.keys(manifest.dependencies))
  const packages = Object.fromEntries(kept.map((path) => [path, lock.packages[path]!]))
  const { name, version } = manifest
  return { name, version, lockfileVersion, requires: true, packages: { "": manifest, ...packages } }
}

/** Paths below the lock's folder of packages with these names and of all that they need, sorted. */
export function neededPackages(lock: LockFile, names: readonly string[]): string[] {
  const kept = new Set<string>()
  const open = names.map((name) => resolve(lock, "", name) ?? missing(name))
  for (let path = open.pop(); path !== undefined; path = open.pop()) {
    if (kept.has(path)) continue
    kept.add(path)
    const { dependencies = {}, optionalDependencies = {} } = lock.packages[path] ?? missing(path)
    for (const name of Object.keys(dependencies)) open.push(resolve(lock, path, name) ?? missing(name))
    for (const name of Object.keys(optionalDependencies)) {
      const found = resolve(lock, path, name)
      if (found !== undefined) open.push(found)
    }
  }
  return [...kept].toSorted()
}

/** The folder where Node finds a package that the one at `from` imports: the nearest `node_modules` upwards. */
function resolve({ packages }: LockFile, from: string, name: string): string | undefined {
  for (let at = from; ; at = at.slice(0, Math.max(at.lastIndexOf("/node_modules/"), 0))) {
    const path = at === "" ? `node_modules/${name}` : `${at}/node_modules/${name}`
    if (packages[path] !== undefined) return path
    if (at === "") return undefined
  }
}

function missing(name: string): never {
  throw new Error(`package-lock.json has no ${name}: run npm install`)
}

function json(value: unknown): string {
  return `${JSON.stringify(value, undefined, 2)}\n`
}
