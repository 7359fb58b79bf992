import { execFileSync, spawnSync } from "node:child_process"
import { generateKeyPairSync } from "node:crypto"
import { cpSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { Test } from "tap"
import { buildRelease } from "../../scripts/release/build.ts"
import { atEnd } from "./at-end.ts"
import { isLong } from "./long.ts"

const ROOT = join(import.meta.dirname, "..", "..")

/** A program in place of Node that starts the Node of this test: an archive with it is small. */
export const SMALL_NODE = Buffer.from(`#!/bin/sh\nexec ${process.execPath} "$@"\n`)

/** Files of the repository from which archives are made, and those that make them. */
const COPIED = ["CHANGELOG.md", "LICENSE", "README.md", "SECURITY.md", "package.json", "package-lock.json"]
const FOLDERS = ["docs", "examples", "proto", "scripts", "services", "signer"]

export function temporaryFolder(t: Test, name: string): string {
  const folder = mkdtempSync(join(tmpdir(), `cs-${name}-`))
  t.teardown(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

/** A clean commit of the present files in a repository of its own. `packages`: folder of the packages, by default those here. */
export function newCheckout(folder: string, packages: string = join(ROOT, "node_modules")): string {
  mkdirSync(folder, { recursive: true })
  for (const name of [...COPIED, ...FOLDERS])
    cpSync(join(ROOT, name), join(folder, name), {
      recursive: true,
      filter: (source) => !/\/dist(?:-[^/]*)?$/.test(source),
    })
  git(folder, "init", "--quiet")
  addPackages(folder, packages)
  commit(folder)
  return folder
}

/** Another checkout of the same commit: making it costs less than `newCheckout`. */
export function copyCheckout(
  checkout: string,
  folder: string,
  packages: string = join(ROOT, "node_modules"),
): string {
  git(checkout, "clone", "--quiet", "--shared", checkout, folder)
  addPackages(folder, packages)
  return folder
}

function addPackages(folder: string, packages: string): void {
  symlinkSync(packages, join(folder, "node_modules"))
  writeFileSync(join(folder, ".git", "info", "exclude"), "node_modules\ndist\n")
}

/** A signed release, which the test files of a process share: a test that changes one of its files changes it back. */
type SharedRelease = {
  readonly checkout: string
  readonly out: string
  readonly keyFile: string
  readonly publicKeyFile: string
}

export const SHARED_ZONES = ["signer", "worker"] as const

let shared: SharedRelease | undefined

/** A release of `SHARED_ZONES` with images in the long form, where this host can make them. */
export function sharedRelease(): SharedRelease {
  return (shared ??= buildShared())
}

function buildShared(): SharedRelease {
  const folder = mkdtempSync(join(tmpdir(), "cs-release-"))
  atEnd(async () => rmSync(folder, { recursive: true, force: true }))
  const keyFile = join(folder, "key.pem")
  const publicKeyFile = join(folder, "key.pub")
  const { publicKey, privateKey } = generateKeyPairSync("ed25519")
  writeFileSync(keyFile, privateKey.export({ type: "pkcs8", format: "pem" }), { mode: 0o600 })
  writeFileSync(publicKeyFile, publicKey.export({ type: "spki", format: "pem" }))
  const checkout = newCheckout(join(folder, "checkout"))
  const out = join(folder, "out")
  buildRelease({
    root: checkout,
    out,
    zones: SHARED_ZONES,
    keyFile,
    images: canBuildImages(),
    node: SMALL_NODE,
  })
  return { checkout, out, keyFile, publicKeyFile }
}

/** Images need the packages of Debian. They are built in the long form alone: each takes longer than the archives. */
export function canBuildImages(): boolean {
  return isLong && hasProgram("dpkg-query") && hasProgram("ldd")
}

/** Builds a release without images that a new key signs; `release.pub` beside its files is that key. */
export function buildSigned(root: string, out: string, zones: readonly string[]): void {
  const { publicKey, privateKey } = generateKeyPairSync("ed25519")
  const keyFile = `${root}-key.pem`
  writeFileSync(keyFile, privateKey.export({ type: "pkcs8", format: "pem" }), { mode: 0o600 })
  buildRelease({ root, out, zones, keyFile, images: false })
  writeFileSync(join(out, "release.pub"), publicKey.export({ type: "spki", format: "pem" }))
}

/** Commits everything, always at the same time. */
export function commit(folder: string): void {
  git(folder, "add", "--all")
  git(folder, "commit", "--quiet", "--message", "release")
}

const AT = "2026-01-02T03:04:05Z"

export function git(folder: string, ...words: string[]): string {
  const names = ["AUTHOR", "COMMITTER"].flatMap((who) => [
    [`GIT_${who}_NAME`, "test"],
    [`GIT_${who}_EMAIL`, "test@localhost"],
    [`GIT_${who}_DATE`, AT],
  ])
  const env = { PATH: process.env["PATH"], HOME: folder, ...Object.fromEntries(names) }
  return execFileSync("git", words, { cwd: folder, env, encoding: "utf8" })
}

/** Unpacks the archive of a zone with `tar`. @returns its top folder */
export function unpack(out: string, folder: string, zone: string): string {
  mkdirSync(folder, { recursive: true })
  const archive = archiveIn(out, zone)
  execFileSync("tar", ["xf", join(out, archive), "--directory", folder])
  return join(folder, archive.slice(0, -".tar.gz".length))
}

/** The name of a zone's archive in the folder of a release. */
export function archiveIn(out: string, zone: string): string {
  return readdirSync(out).find((name) => name.endsWith(".tar.gz") && name.includes(`-${zone}-`)) ?? "missing"
}

/** Whether a program is on this host. */
export function hasProgram(name: string, ...words: readonly string[]): boolean {
  return spawnSync(name, words.length > 0 ? words : ["--version"], { stdio: "ignore" }).status === 0
}
