// Archives of a release: equal bytes of every build, whatever the builder's host, and nothing in them that a zone does not load.
import { execFileSync, spawnSync } from "node:child_process"
import {
  chmodSync,
  cpSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs"
import { join } from "node:path"
import t from "tap"
import { buildRelease } from "../../scripts/release/build.ts"
import type { LockFile } from "../../scripts/generators/image-packages.ts"
import { neededPackages } from "../../scripts/generators/image-packages.ts"
import { tarOf } from "../../scripts/release/tar.ts"
import { EVERYTHING, ZONES } from "../../scripts/release/zones.ts"
import { ROOT } from "../architecture/sources.ts"
import { readStages, stagesOf } from "../harness/dockerfile.ts"
import {
  archiveIn,
  copyCheckout,
  git,
  hasProgram,
  SHARED_ZONES,
  sharedRelease,
  SMALL_NODE,
  temporaryFolder,
  unpack,
} from "../harness/release.ts"

const lock = JSON.parse(readFileSync(join(ROOT, "package-lock.json"), "utf8")) as LockFile

t.test(
  "two builds in two folders, with other modes, times and settings of the builder, are equal",
  async (t) => {
    const folder = temporaryFolder(t, "release")
    const packages = join(folder, "packages")
    copyPackages(packages)
    const { checkout, out: first, keyFile, publicKeyFile } = sharedRelease()
    const root = copyCheckout(checkout, join(folder, "another", "folder"), packages)
    const second = join(folder, "out")
    const own = {
      TZ: "Pacific/Apia",
      LANG: "tr_TR.UTF-8",
      LC_ALL: "tr_TR.UTF-8",
      USER: "second",
      HOME: folder,
    }
    const build = [join(ROOT, "test/release/build-child.ts"), root, second, keyFile]
    execFileSync("sh", ["-c", 'umask 077 && exec "$@"', "sh", process.execPath, ...build], {
      env: { PATH: process.env["PATH"], ...own },
    })
    const names = readdirSync(first)
    t.ok(names.some((name) => name.endsWith(".tar.gz")) && names.includes("SHA256SUMS.sig"))
    t.strictSame(readdirSync(second), names)
    for (const name of names)
      t.ok(readFileSync(join(first, name)).equals(readFileSync(join(second, name))), `${name} is equal`)
    await t.test(
      "judged by sha256sum and OpenSSL",
      { skip: hasProgram("openssl", "version") ? false : "not run: no openssl" },
      async (t) => {
        const run = (...words: string[]) =>
          spawnSync(words[0] ?? "", words.slice(1), { cwd: first, encoding: "utf8" })
        t.equal(run("sha256sum", "--check", "--strict", "SHA256SUMS").status, 0)
        const verify = ["openssl", "pkeyutl", "-verify", "-pubin", "-inkey", publicKeyFile, "-rawin"]
        t.match(
          run(...verify, "-in", "SHA256SUMS", "-sigfile", "SHA256SUMS.sig").stdout,
          "Verified Successfully",
        )
      },
    )
    await t.test("tar lists files of root, of the commit's time, with two modes", async (t) => {
      const words = [
        "tf",
        join(first, archiveIn(first, "signer")),
        "--verbose",
        "--numeric-owner",
        "--full-time",
      ]
      const lines = execFileSync("tar", words, { env: { ...process.env, TZ: "UTC" }, encoding: "utf8" })
        .trim()
        .split("\n")
      t.ok(lines.length > 1000)
      const form = /^(?:-rw-r--r--|[-d]rwxr-xr-x) 0\/0 +\d+ 2026-01-02 03:04:05 \S+$/
      t.strictSame(
        lines.filter((line) => !form.test(line)),
        [],
      )
      const top = unpack(first, join(folder, "unpacked"), "signer")
      t.equal(statSync(join(top, "countersign-signer")).mode & 0o777, 0o755)
      t.match(execFileSync(join(top, "countersign-signer"), ["--version"]).toString(), /^\d+\.\d+\.\d+\n$/)
      const env = { PATH: process.env["PATH"], NODE_OPTIONS: "--no-strip-types" }
      t.match(
        execFileSync(join(top, "countersign-signer"), ["--version"], { env }).toString(),
        /^\d+\.\d+\.\d+\n$/,
        "a program runs in a Node that takes out no types",
      )
      t.strictSame(codeThatChanged(top), [], "code differs from the commit's by spaces for types alone")
      t.equal(spawnSync("sha256sum", ["--check", "--quiet", "release/signer.sha256"], { cwd: top }).status, 0)
      const terms = readFileSync(join(top, "release", "third-party-licences.txt"), "utf8")
      for (const words of [
        "Node.js 24",
        "@noble/curves 2",
        "Permission is hereby granted",
        "The MIT License",
      ])
        t.ok(terms.includes(words), words)
    })
  },
)

/** Files of an unpacked archive that are more than the commit's own with types, or parts of them, replaced by spaces. */
function codeThatChanged(top: string): string[] {
  const isOurs = (path: string) => path.endsWith(".ts") && !path.startsWith("node_modules/")
  const paths = readdirSync(top, { recursive: true, encoding: "utf8" }).filter(isOurs)
  return paths.filter((path) => {
    const [shipped, own] = [readFileSync(join(top, path), "utf8"), readFileSync(join(ROOT, path), "utf8")]
    if (shipped.length !== own.length) return true
    for (let at = 0; at < own.length; at++)
      if (shipped[at] !== own[at] && shipped[at]?.trim() !== "") return true
    return false
  })
}

/** The packages of the shared release as another person has them: other modes, other times. */
function copyPackages(to: string): void {
  mkdirSync(to, { recursive: true })
  // The images have libraries that it loads.
  symlinkSync(join(ROOT, "node_modules", "node"), join(to, "node"))
  const zones = ZONES.filter(({ name }) => SHARED_ZONES.some((one) => one === name))
  for (const path of neededPackages(lock, [...new Set(zones.flatMap((zone) => zone.packages))])) {
    const target = join(to, path.slice("node_modules/".length))
    cpSync(join(ROOT, path), target, { recursive: true })
    for (const entry of readdirSync(target, { recursive: true, withFileTypes: true })) {
      if (!entry.isFile()) continue
      const file = join(entry.parentPath, entry.name)
      chmodSync(file, statSync(file).mode & 0o100 ? 0o700 : 0o600)
      utimesSync(file, 1, 1)
    }
  }
}

t.test("a release is built from a clean commit alone", async (t) => {
  const folder = temporaryFolder(t, "release")
  const root = copyCheckout(sharedRelease().checkout, join(folder, "checkout"))
  const build = () =>
    buildRelease({ root, out: join(folder, "out"), zones: ["worker"], images: false, node: SMALL_NODE })
  writeFileSync(join(root, "signer", "core", "new.ts"), "")
  t.throws(
    build,
    /a release is built from a commit, and this checkout has changes.*\n\?\? signer\/core\/new\.ts/,
  )
  git(root, "clean", "--force", "--quiet")
  writeFileSync(join(root, "package.json"), `${readFileSync(join(root, "package.json"), "utf8")} `)
  t.throws(build, /\n M package\.json/)
  git(root, "checkout", "--quiet", "package.json")
  t.ok(build().length > 0)
  t.throws(
    () => buildRelease({ root, out: folder, zones: ["sgner"], node: SMALL_NODE }),
    /no zone "sgner"; use signer, /,
  )
  t.throws(() =>
    buildRelease({ root, out: folder, node: undefined, zones: [], keyFile: join(root, "LICENSE") }),
  )
})

t.test("a Node with another digest than the pinned one is not shipped", async (t) => {
  const folder = temporaryFolder(t, "release")
  const packages = t.testdir({ node: { bin: { node: "another program" } } })
  const root = copyCheckout(sharedRelease().checkout, join(folder, "checkout"), packages)
  t.throws(
    () => buildRelease({ root, out: join(folder, "out"), zones: ["worker"] }),
    /is not Node 24.*run npm ci/,
  )
})

t.test("each zone has the folders and packages of its image", async (t) => {
  const stages = readStages()
  for (const { name, sources, built } of ZONES) {
    // A witness runs on another party's host, from its archive.
    if (name === "witness") continue
    const own = stagesOf(name, stages)
    const copied = own.flatMap((stage) => stage.copied.map(({ path }) => path))
    t.strictSame(
      sources.filter((path) => !/^LICENSE|^examples\/systemd\//.test(path)).toSorted(),
      [...new Set(copied)].toSorted(),
      name,
    )
    const pages = own.flatMap((stage) => stage.built.map(({ path }) => path))
    t.strictSame(built, pages, name)
  }
})

t.test(
  "everything has the packages that its programs import, and none for building, examples or tests",
  async (t) => {
    const shipped = neededPackages(lock, EVERYTHING.packages).map((path) =>
      path.replace(/^.*node_modules\//, ""),
    )
    const imports = execFileSync(
      "grep",
      ["-rhoE", "--include=*.ts", `(from|import\\() ?"[@a-z][^":.]*"`, "services", "signer", "proto"],
      {
        cwd: ROOT,
        encoding: "utf8",
      },
    )
    const names = imports.split("\n").flatMap((line) => /"((?:@[^/"]+\/)?[^/"]+)/.exec(line)?.[1] ?? [])
    // The bundler of the pages, and what it bundles.
    const bundled = /^(?:vite|preact|uplot|@preact|@codemirror|@lezer)/
    t.strictSame(
      [...new Set(names)].filter((name) => !shipped.includes(name) && !bundled.test(name)),
      [],
    )
    for (const name of ["vite", "viem", "typescript", "tap", "@turnkey/sdk-server", "preact", "koa-static"])
      t.notOk(shipped.includes(name), name)
  },
)

t.test("an archive refuses what a header cannot hold, and two files of one path", async (t) => {
  const file = (path: string) => ({ path, isExecutable: false, data: Buffer.from("x") })
  t.equal(tarOf([file("a")], 0).length, 20 * 512)
  t.ok(tarOf([file(`${"d".repeat(90)}/${"f".repeat(90)}`)], 0).length > 0)
  t.throws(() => tarOf([file("f".repeat(101))], 0), /is too long for a tar header/)
  t.throws(() => tarOf([file("a"), file("a")], 0), /a is in the archive twice/)
})
