import { randomBytes } from "node:crypto"
import { cpSync, linkSync, mkdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from "node:fs"
import { createRequire } from "node:module"
import { join } from "node:path"
import { pathToFileURL } from "node:url"
import type * as Crypto from "@turnkey/crypto"
import t, { type Test } from "tap"
import { newTargetKey, openSealedCode, targetBundle } from "../../../signer/fetcher/codes/target-key.ts"
import { newIdentity, newKeySet } from "../../harness/fetcher.ts"
import { newKey } from "../../harness/stamper.ts"
import { commandLine } from "./command-line.ts"

const ROOT = join(import.meta.dirname, "..", "..", "..")
const INSTALLED = join(ROOT, "node_modules", "@turnkey", "crypto")
/** Version 2.8.14, which has no key of encrypted codes. */
const EARLIER = join(ROOT, "node_modules", "@turnkey", "core-v1", "node_modules", "@turnkey", "crypto")
const { keySet: fetcher, publicHex } = newIdentity()
const [signer, notarizer] = [newKeySet().publicHex, newKeySet().publicHex]
const pins = {
  deploymentId: "aaaaaaaa-0000-4000-8000-00000000000b",
  signerPublicKey: signer,
  notarizerPublicKey: notarizer,
  fetcherPublicKey: fetcher.publicHex,
  onRampPublicKey: publicHex.slice(260),
}
const FILES = ["constants.js", "constants.mjs", "constants.d.ts"]

/** A project with one copy of the package, one below another package, and one as pnpm lays it out. */
function project(t: Test, trusted: object = pins, installed = INSTALLED) {
  const directory = t.testdir({ "pins.json": JSON.stringify(trusted) })
  const modules = join(directory, "project", "node_modules")
  const pnpm = join(modules, ".pnpm", "@turnkey+crypto@2.13.2", "node_modules")
  const places = [modules, join(modules, "@turnkey", "core", "node_modules"), pnpm]
  const folders = places.map((place) => join(place, "@turnkey", "crypto"))
  for (const folder of folders) {
    mkdirSync(join(folder, "dist"), { recursive: true })
    for (const file of ["package.json", ...FILES.map((name) => join("dist", name))])
      cpSync(join(installed, file), join(folder, file))
  }
  const apply = (...words: string[]) =>
    commandLine(
      { COUNTERSIGN_DATA_DIR: directory },
      "pins",
      "apply",
      "--project",
      join(directory, "project"),
      ...words,
    )
  const texts = () =>
    folders.flatMap((folder) => FILES.map((name) => readFileSync(join(folder, "dist", name), "utf8")))
  return { directory, folders, apply, texts }
}

t.test("a version without the key of encrypted codes gets the others", async (t) => {
  const { folders, apply, texts } = project(t, pins, EARLIER)
  const before = texts()
  t.match(await apply(), { status: 0 })
  const constants: unknown = createRequire(import.meta.url)(join(folders[0]!, "dist", "constants.js"))
  t.match(constants, {
    PRODUCTION_SIGNER_SIGN_PUBLIC_KEY: signer.slice(130),
    PRODUCTION_NOTARIZER_SIGN_PUBLIC_KEY: notarizer.slice(130),
    PRODUCTION_TLS_FETCHER_ENCRYPT_PUBLIC_KEY: fetcher.publicHex.slice(0, 130),
    PRODUCTION_ON_RAMP_CREDENTIALS_ENCRYPTION_PUBLIC_KEY: publicHex.slice(260),
  })
  t.match(await apply("--undo"), { status: 0 })
  t.strictSame(texts(), before)
})

t.test("pins apply puts the deployment's keys into every copy, and takes them out again", async (t) => {
  const { folders, apply, texts } = project(t)
  const before = texts()
  const { status, out, log } = await apply()
  t.equal(status, 0, log)
  t.equal(out.split("\n").length, 3)
  const loaded: unknown[] = folders.map((folder) =>
    createRequire(import.meta.url)(join(folder, "dist", "constants.js")),
  )
  for (const folder of folders)
    loaded.push(await import(pathToFileURL(join(folder, "dist", "constants.mjs")).href))
  for (const constants of loaded)
    t.match(constants, {
      PRODUCTION_SIGNER_SIGN_PUBLIC_KEY: signer.slice(130),
      PRODUCTION_NOTARIZER_SIGN_PUBLIC_KEY: notarizer.slice(130),
      PRODUCTION_TLS_FETCHER_ENCRYPT_PUBLIC_KEY: fetcher.publicHex.slice(0, 130),
      PRODUCTION_TLS_FETCHER_SIGN_PUBLIC_KEY: fetcher.publicHex.slice(130),
      PRODUCTION_ON_RAMP_CREDENTIALS_ENCRYPTION_PUBLIC_KEY: publicHex.slice(260),
    })
  const applied = texts()
  const lines = (text: string) => text.split("\n")
  for (const [index, text] of applied.entries()) {
    const changed = lines(text).filter((line, at) => line !== lines(before[index]!)[at])
    t.ok(changed.length === 5 && changed.every((line) => /const PRODUCTION_\w+_KEY = /.test(line)))
  }
  t.match(await apply(), { status: 0, out: /has these keys already/ }, "a second time")
  t.strictSame(texts(), applied)
  const undone = JSON.parse((await apply("--undo", "--json")).out) as { packages: { changed: string[] }[] }
  t.strictSame(
    undone.packages.map(({ changed }) => changed.length),
    [3, 3, 3],
  )
  t.strictSame(texts(), before, "byte by byte")
})

t.test("a dry run verifies and lists, and changes nothing", async (t) => {
  const { apply, texts } = project(t)
  const before = texts()
  t.match(await apply("--dry-run"), { status: 0, out: /2\.13\.2: would change 3 files/ })
  t.strictSame(texts(), before)
})

t.test("pins of another deployment replace those that were applied before", async (t) => {
  const { directory, apply, texts } = project(t)
  await apply()
  const other = newKeySet().publicHex
  writeFileSync(join(directory, "other.json"), JSON.stringify({ ...pins, signerPublicKey: other }))
  t.match(await apply("--pins", join(directory, "other.json")), { status: 0 })
  t.ok(texts().every((text) => text.includes(other.slice(130)) && !text.includes(signer.slice(130))))
})

t.test("a file that was altered or is unknown is refused, and no copy is changed", async (t) => {
  const alterations: { [what: string]: (text: string) => string } = {
    "another line": (text) => `${text}\nfetch("https://evil.example")`,
    "another key format": (text) => text.replace(/(FETCHER_SIGN_PUBLIC_KEY = ")04/, "$1zz"),
    "a constant that is computed": (text) =>
      text.replace(/PRODUCTION_SIGNER_SIGN_PUBLIC_KEY = "/, 'PRODUCTION_SIGNER_SIGN_PUBLIC_KEY = "" + "'),
  }
  for (const [what, alter] of Object.entries(alterations)) {
    const { folders, apply, texts } = project(t)
    const file = join(folders[2]!, "dist", "constants.mjs")
    writeFileSync(file, alter(readFileSync(file, "utf8")))
    const before = texts()
    const { status, log } = await apply()
    t.equal(status, 6, what)
    t.match(log, /is no published file .* Nothing was changed/)
    t.strictSame(texts(), before, what)
  }
})

t.test("links are not written through", async (t) => {
  const { directory, folders, apply } = project(t)
  const store = join(directory, "store.mjs")
  const file = join(folders[0]!, "dist", "constants.mjs")
  linkSync(file, store)
  await apply()
  t.equal(
    readFileSync(store, "utf8"),
    readFileSync(join(INSTALLED, "dist", "constants.mjs"), "utf8"),
    "a hard link",
  )
  t.equal(statSync(file).nlink, 1)
  const linked = join(directory, "linked")
  mkdirSync(join(linked, "node_modules", "@turnkey"), { recursive: true })
  symlinkSync(folders[0]!, join(linked, "node_modules", "@turnkey", "crypto"))
  t.match(await apply("--project", linked), { status: 2, log: /has no @turnkey\/crypto/ }, "a symbolic link")
})

t.test("a published client seals codes to the applied fetcher, and to no other", async (t) => {
  const { folders, apply } = project(t)
  const [folder = ""] = folders
  cpSync(INSTALLED, folder, { recursive: true })
  const load = async () => {
    const file = pathToFileURL(join(folder, "dist", "index.js")).href
    const { encryptOtpCodeToBundle } = createRequire(file)(join(folder, "dist", "index.js")) as typeof Crypto
    return encryptOtpCodeToBundle
  }
  await apply()
  const targetKey = newTargetKey(randomBytes)
  const code = { targetKey, organizationId: pins.deploymentId }
  const { publicKeyHex } = newKey()
  const seal = await load()
  const sealed = await seal("ABC123", targetBundle(code, fetcher), publicKeyHex)
  t.strictSame(openSealedCode(sealed, targetKey), { code: "ABC123", publicKey: publicKeyHex })
  const foreign = targetBundle(code, newIdentity().keySet)
  await t.rejects(seal("ABC123", foreign, publicKeyHex), /expected signer key/)
})

t.test("without packages or pins nothing is done", async (t) => {
  const { directory, apply } = project(t)
  t.match(await apply("--project", directory), { status: 2, log: /install the project's packages first/ })
  const absent = join(directory, "absent.json")
  t.match(await apply("--pins", absent), { status: 2, log: /absent.json cannot be read/ })
})

t.test("keys that the deployment lacks stay as they are published", async (t) => {
  const { deploymentId, signerPublicKey, notarizerPublicKey } = pins
  const { apply, texts } = project(t, { deploymentId, signerPublicKey, notarizerPublicKey })
  const [before = ""] = texts()
  const published = /FETCHER_SIGN_PUBLIC_KEY = "([0-9a-f]+)"/.exec(before)![1]!
  t.match(await apply(), { status: 0 })
  t.ok(texts().every((text) => text.includes(published) && text.includes(signer.slice(130))))
})
