import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import type { LockFile } from "../generators/image-packages.ts"
import { type Content, contentOf, digestOfList, sha256, type Sources } from "./archive.ts"
import { readCommit } from "./commit.ts"
import type { Artifact } from "./entry.ts"
import { readNode } from "./node.ts"
import { SIGNATURE, signatureOf, SUMS, sumsOf } from "./sums.ts"
import { gzipOf, tarOf } from "./tar.ts"
import { EVERYTHING, platformOf, type Zone, ZONES } from "./zones.ts"

export type ReleaseOptions = {
  root: string
  /** Emptied first. */
  out: string
  /** Names of zones; undefined: all, and everything. */
  zones?: readonly string[] | undefined
  /** Private key that signs the digests; undefined: nothing is signed. */
  keyFile?: string | undefined
  /** The program `bin/node`; undefined: the installed Node. */
  node?: Buffer | undefined
}

/** Builds a release. @returns lines for people, the digests among them */
export function buildRelease({ root, out, zones, keyFile, node }: ReleaseOptions): string[] {
  const sources = readSources(root, node)
  emptyFolder(out)
  const built = zonesNamed(zones).map((zone) => buildZone(zone, sources, out))
  const artifacts = built.map(({ archive }) => archive)
  artifacts.push(writeDescription(built, sources, out))
  const sums = sumsOf(artifacts)
  write(out, SUMS, Buffer.from(sums))
  if (keyFile !== undefined) write(out, SIGNATURE, signatureOf(sums, keyFile))
  return [
    ...sums.trimEnd().split("\n"),
    `${out}: ${artifacts.length} files of countersign ${sources.version}, commit ${sources.commit.id}`,
    ...(keyFile === undefined ? [`nothing is signed: give a key, --key FILE`] : []),
  ]
}

function readSources(root: string, node: Buffer | undefined): Sources {
  const commit = readCommit(root)
  const { version } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as { version: string }
  const lock = JSON.parse(readFileSync(join(root, "package-lock.json"), "utf8")) as LockFile
  return { root, commit, version, lock, node: node ?? readNode(root) }
}

function zonesNamed(names: readonly string[] | undefined): readonly Zone[] {
  const all = [...ZONES, EVERYTHING]
  return names?.map((name) => all.find((zone) => zone.name === name) ?? unknown(name, all)) ?? all
}

function unknown(name: string, all: readonly Zone[]): never {
  throw new Error(`no zone "${name}"; use ${all.map((zone) => zone.name).join(", ")}`)
}

/** The top folder of an archive, and its name without an ending. */
function folderOf(zone: Zone, version: string): string {
  const middle = zone === EVERYTHING ? "" : `-${zone.name}`
  return `countersign-${version}${middle}-${platformOf()}`
}

type Built = { zone: Zone; archive: Artifact; content: Content }

function buildZone(zone: Zone, sources: Sources, out: string): Built {
  const folder = folderOf(zone, sources.version)
  const content = contentOf(zone, sources)
  const inFolder = content.entries.map((entry) => ({ ...entry, path: `${folder}/${entry.path}` }))
  const data = gzipOf(tarOf(inFolder, sources.commit.seconds))
  return { zone, archive: write(out, `${folder}.tar.gz`, data), content }
}

/** The release in one file: what `countersign verify release` prints, and the digests that boot proofs name. */
function writeDescription(built: readonly Built[], { version, commit }: Sources, out: string): Artifact {
  const zones = built.map(({ zone, archive, content }) => {
    return { zone: zone.name, archive: archive.name, listDigest: digestOfList(zone.name, content) }
  })
  const withSigner = built.find(({ zone }) => zone.name === "signer" || zone === EVERYTHING)
  const description = {
    name: "countersign",
    version,
    platform: platformOf(),
    commit: commit.id,
    codeDigest: withSigner === undefined ? "" : digestOfList("signer", withSigner.content),
    zones,
  }
  const name = `countersign-${version}-${platformOf()}.release.json`
  return write(out, name, Buffer.from(`${JSON.stringify(description, undefined, 2)}\n`))
}

function emptyFolder(out: string): void {
  rmSync(out, { recursive: true, force: true })
  mkdirSync(out, { recursive: true })
}

function write(out: string, name: string, data: Buffer): Artifact {
  writeFileSync(join(out, name), data)
  return { name, sha256: sha256(data) }
}
