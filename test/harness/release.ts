import { execFileSync, spawnSync } from "node:child_process"
import { generateKeyPairSync } from "node:crypto"
import { cpSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { Test } from "tap"
import { buildRelease } from "../../scripts/release/build.ts"

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
  symlinkSync(packages, join(folder, "node_modules"))
  git(folder, "init", "--quiet")
  writeFileSync(join(folder, ".git", "info", "exclude"), "node_modules\ndist\n")
  commit(folder)
  return folder
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

/** Unpacks the only archive of a release with `tar`. @returns its top folder */
export function unpack(out: string, folder: string): string {
  mkdirSync(folder, { recursive: true })
  const [archive = ""] = readdirSync(out).filter((name) => name.endsWith(".tar.gz"))
  execFileSync("tar", ["xf", join(out, archive), "--directory", folder])
  return join(folder, archive.slice(0, -".tar.gz".length))
}

/** Whether a program is on this host. */
export function hasProgram(name: string, ...words: readonly string[]): boolean {
  return spawnSync(name, words.length > 0 ? words : ["--version"], { stdio: "ignore" }).status === 0
}
