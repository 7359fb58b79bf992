// Images as an OCI image layout (v1.1), written without a daemon: from nothing, with the host's C library, Node and a zone's archive.
import { PLAIN_LOADER } from "../../signer/core/release/file-list.ts"
import type { Commit } from "./commit.ts"
import { sha256 } from "./archive.ts"
import type { Entry, FileEntry } from "./entry.ts"
import { IMAGE_USER, type ImageProcess } from "./images.ts"
import { gzipOf, tarOf } from "./tar.ts"

/** An image's name, process and files below `/app`. */
export type ImageContent = { zone: string; process: ImageProcess; entries: readonly Entry[] }

type Release = { commit: Commit; version: string; node: Buffer }

type Blob = { mediaType: string; digest: string; size: number }
type Layer = { blob: Blob; diffId: string }

const LAYER = "application/vnd.oci.image.layer.v1.tar+gzip"
const CONFIG = "application/vnd.oci.image.config.v1+json"
const MANIFEST = "application/vnd.oci.image.manifest.v1+json"
const INDEX = "application/vnd.oci.image.index.v1+json"

const ARCHITECTURES: { readonly [arch: string]: string } = { x64: "amd64", arm64: "arm64" }

const NODE = "app/bin/node"

/** Collects blobs by their digest: what two images share is there once. */
class Blobs {
  readonly entries = new Map<string, FileEntry>()

  add(mediaType: string, data: Buffer): Blob {
    const digest = sha256(data)
    this.entries.set(digest, { path: `blobs/sha256/${digest}`, isExecutable: false, data })
    return { mediaType, digest: `sha256:${digest}`, size: data.length }
  }

  addJson(mediaType: string, value: unknown): Blob {
    return this.add(mediaType, Buffer.from(JSON.stringify(value)))
  }
}

/** One archive with all images; each is named by its zone. */
export function imagesOf(
  images: readonly ImageContent[],
  libraries: readonly Entry[],
  release: Release,
): Buffer {
  const { commit, node } = release
  const blobs = new Blobs()
  const layerOf = (entries: readonly Entry[]): Layer => {
    const tar = tarOf(entries, commit.seconds)
    return { blob: blobs.add(LAYER, gzipOf(tar)), diffId: `sha256:${sha256(tar)}` }
  }
  const base = layerOf([...libraries, ...userFiles(), { path: NODE, isExecutable: true, data: node }])
  const manifests = images.map((image) => {
    const layers = [base, layerOf(zoneFiles(image))]
    const config = blobs.addJson(CONFIG, configOf(image, layers, release))
    const manifest = {
      schemaVersion: 2,
      mediaType: MANIFEST,
      config,
      layers: layers.map(({ blob }) => blob),
    }
    return {
      ...blobs.addJson(MANIFEST, manifest),
      annotations: { "org.opencontainers.image.ref.name": image.zone },
      platform: platform(),
    }
  })
  const index = { schemaVersion: 2, mediaType: INDEX, manifests }
  return tarOf(
    [
      json("oci-layout", { imageLayoutVersion: "1.0.0" }),
      json("index.json", index),
      ...blobs.entries.values(),
    ],
    commit.seconds,
  )
}

function platform() {
  return { os: process.platform, architecture: ARCHITECTURES[process.arch] ?? process.arch }
}

/** The archive of a zone, without Node, which all images share, and folders for volumes. */
function zoneFiles({ process: { folders }, entries }: ImageContent): Entry[] {
  return [
    ...entries.map((entry) => ({ ...entry, path: `app/${entry.path}` })).filter(({ path }) => path !== NODE),
    ...folders.map((folder): Entry => ({ path: `${folder}/`, mode: 0o700, user: IMAGE_USER })),
  ]
}

/** A name for the user, without a shell, and names of the loopback. */
function userFiles(): Entry[] {
  const user = `countersign:x:${IMAGE_USER}:${IMAGE_USER}::/app:/sbin/nologin\n`
  return [
    text("etc/passwd", `root:x:0:0::/:/sbin/nologin\n${user}`),
    text("etc/group", `root:x:0:\ncountersign:x:${IMAGE_USER}:\n`),
  ]
}

function configOf(
  { zone, process: started }: ImageContent,
  layers: readonly Layer[],
  { commit, version }: Release,
) {
  const created = new Date(commit.seconds * 1000).toISOString()
  const environment = { PATH: "/app:/app/bin", NODE_ENV: "production", ...started.environment }
  return {
    created,
    ...platform(),
    config: {
      User: `${IMAGE_USER}:${IMAGE_USER}`,
      Env: Object.entries(environment).map(([name, value]) => `${name}=${value}`),
      Cmd: ["/app/bin/node", "--disable-sigusr1", `--import=/app/${PLAIN_LOADER}`, ...started.command],
      WorkingDir: "/app",
      ...(started.port !== undefined && { ExposedPorts: { [`${started.port}/tcp`]: {} } }),
      Labels: {
        "org.opencontainers.image.title": `countersign-${zone}`,
        "org.opencontainers.image.version": version,
        "org.opencontainers.image.revision": commit.id,
        "org.opencontainers.image.licenses": "Apache-2.0",
      },
    },
    rootfs: { type: "layers", diff_ids: layers.map(({ diffId }) => diffId) },
    history: layers.map(() => ({ created, created_by: "countersign release" })),
  }
}

function json(path: string, value: unknown): FileEntry {
  return text(path, JSON.stringify(value))
}

function text(path: string, content: string): FileEntry {
  return { path, isExecutable: false, data: Buffer.from(content) }
}
