import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import type { LockFile } from "../generators/image-packages.ts"
import { type Content, contentOf, digestOfList, sha256, type Sources } from "./archive.ts"
import { readCommit } from "./commit.ts"
import type { Artifact } from "./entry.ts"
import { hostLibraries } from "./host-libraries.ts"
import { IMAGES } from "./images.ts"
import { INSTALLED_NODE, readNode } from "./node.ts"
import { imagesOf } from "./oci.ts"
import { provenanceOf } from "./provenance.ts"
import { sbomOf } from "./sbom.ts"
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
  /** Whether images are built; they take C libraries of this host. By default they are, on Linux. */
  images?: boolean | undefined
  /** The program `bin/node`; undefined: the installed Node. */
  node?: Buffer | undefined
}

/** Builds a release. @returns lines for people, the digests among them */
export function buildRelease(options: ReleaseOptions): string[] {
  const { root, out, keyFile, images = process.platform === "linux" } = options
  const sources = readSources(root, options.node)
  const zones = zonesNamed(options.zones)
  emptyFolder(out)
  const built = zones.map((zone) => buildZone(zone, sources, out))
  const artifacts = built.flatMap(({ archive, sbom }) => [archive, sbom])
  if (images) artifacts.push(...buildImages(built, sources, out))
  artifacts.push(writeDescription(built, sources, out))
  artifacts.push(
    write(out, `${nameOf(sources)}.provenance.json`, Buffer.from(provenanceOf(artifacts, sources))),
  )
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

type Built = { zone: Zone; archive: Artifact; sbom: Artifact; content: Content }

function buildZone(zone: Zone, sources: Sources, out: string): Built {
  const folder = folderOf(zone, sources.version)
  const content = contentOf(zone, sources)
  const inFolder = content.entries.map((entry) => ({ ...entry, path: `${folder}/${entry.path}` }))
  const data = gzipOf(tarOf(inFolder, sources.commit.seconds))
  const sbom = sbomOf(folder, content.packages, sources)
  return {
    zone,
    content,
    archive: write(out, `${folder}.tar.gz`, data),
    sbom: write(out, `${folder}.cdx.json`, Buffer.from(sbom)),
  }
}

/** All images in one file, and the components of what they have beside the archives. */
function buildImages(built: readonly Built[], sources: Sources, out: string): Artifact[] {
  const images = built.flatMap(({ zone, content: { entries } }) => {
    const started = IMAGES[zone.name]
    return started === undefined ? [] : [{ zone: zone.name, process: started, entries }]
  })
  if (images.length === 0) return []
  const { entries, libraries } = hostLibraries(binariesOf(sources))
  const name = `${nameOf(sources)}.oci`
  return [
    write(out, `${name}.tar`, imagesOf(images, entries, sources)),
    write(out, `${name}.cdx.json`, Buffer.from(sbomOf(name, [], sources, libraries))),
  ]
}

/** Installed programs that load libraries of the host. */
function binariesOf({ root }: Sources): string[] {
  return [
    join(root, INSTALLED_NODE),
    join(root, "node_modules/secp256k1/prebuilds", platformOf(), "secp256k1.glibc.node"),
  ]
}

function nameOf({ version }: Sources): string {
  return `countersign-${version}-${platformOf()}`
}

/** The release in one file: what `countersign verify release` prints, and the digests that boot proofs name. */
function writeDescription(built: readonly Built[], sources: Sources, out: string): Artifact {
  const { version, commit } = sources
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
  return write(
    out,
    `${nameOf(sources)}.release.json`,
    Buffer.from(`${JSON.stringify(description, undefined, 2)}\n`),
  )
}

function emptyFolder(out: string): void {
  rmSync(out, { recursive: true, force: true })
  mkdirSync(out, { recursive: true })
}

function write(out: string, name: string, data: Buffer): Artifact {
  writeFileSync(join(out, name), data)
  return { name, sha256: sha256(data) }
}
