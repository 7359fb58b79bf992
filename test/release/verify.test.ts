// A release is verified without a network, and one of which a byte was changed is named, starts nothing and changes nothing.
import { spawn, spawnSync } from "node:child_process"
import { createHash, generateKeyPairSync, sign } from "node:crypto"
import { once } from "node:events"
import { cpSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import t from "tap"
import { readFileList, writeFileList } from "../../signer/core/release/file-list.ts"
import { inspectRelease, sentenceOfFaults } from "../../signer/core/release/installed.ts"
import { topFolder as servicesFolder } from "../../services/common/intact-release.ts"
import { topFolder } from "../../signer/process/intact-release.ts"
import { withOwnCommands } from "../../services/terminal-client/release-commands.ts"
import { ROOT } from "../architecture/sources.ts"
import { casesOf } from "../harness/long.ts"
import { hasProgram, sharedRelease, temporaryFolder, unpack } from "../harness/release.ts"
import { commandLine } from "../services/cli/command-line.ts"

const folder = temporaryFolder(t, "release")
const { out, keyFile, publicKeyFile } = sharedRelease()
const sums = join(out, "SHA256SUMS")
const key = { private: keyFile, public: publicKeyFile }
const top = unpack(out, join(folder, "unpacked"), "signer")
const archive = `${join(out, top.slice(top.lastIndexOf("/") + 1))}.tar.gz`
const description = JSON.parse(
  readFileSync(archive.replace(/-signer(.*)\.tar\.gz$/, "$1.release.json"), "utf8"),
) as {
  version: string
  codeDigest: string
}

function newKey(name: string): { private: string; public: string } {
  const pair = generateKeyPairSync("ed25519")
  const files = { private: join(folder, `${name}.pem`), public: join(folder, `${name}.pub`) }
  writeFileSync(files.private, pair.privateKey.export({ type: "pkcs8", format: "pem" }))
  writeFileSync(files.public, pair.publicKey.export({ type: "spki", format: "pem" }))
  return files
}

const verify = (...words: string[]) => commandLine({}, "verify", "release", ...words)

/** Changes one bit in the middle of a file for the duration of a test. */
function altered(t: Pick<typeof import("tap").t, "teardown">, file: string): () => void {
  const before = readFileSync(file)
  const bytes = Buffer.from(before)
  bytes.writeUInt8(bytes.readUInt8(bytes.length >> 1) ^ 1, bytes.length >> 1)
  writeFileSync(file, bytes)
  const restore = () => writeFileSync(file, before)
  t.teardown(restore)
  return restore
}

t.test("a release as it was signed is verified: a file, all files, an unpacked archive", async (t) => {
  const one = await verify(archive, "--key", key.public, "--json")
  t.equal(one.status, 0, one.log)
  t.match(JSON.parse(one.out), {
    verified: true,
    release: `countersign ${description.version} ${process.platform}-${process.arch}`,
    codeDigest: description.codeDigest,
  })
  t.match(
    (await verify(sums, "--key", key.public)).out,
    /signer.*: as it was signed\n[^]*commit [0-9a-f]{40}\n/,
  )
  const unpacked = await verify(top, "--key", key.public, "--sums", sums)
  t.equal(unpacked.status, 0, unpacked.log)
  t.match(await verify(top, "--key", key.public), {
    status: 2,
    log: /is a folder: name the digests of its release with --sums/,
  })
})

t.test(
  "verification asks no network",
  { skip: hasProgram("bwrap") ? false : "not run: no bwrap" },
  async (t) => {
    const words = [process.execPath, join(ROOT, "services/cli/main.ts"), "verify", "release", archive]
    const sandbox = ["--unshare-net", "--unshare-pid", "--dev-bind", "/", "/"]
    const { status, stderr } = spawnSync("bwrap", [...sandbox, ...words, "--key", key.public], {
      encoding: "utf8",
    })
    t.equal(status, 0, stderr)
  },
)

t.test("W85: a release with one byte changed is named, with the way out", async (t) => {
  const restore = altered(t, archive)
  const named = await verify(archive, "--key", key.public)
  t.equal(named.status, 6)
  t.match(
    named.log,
    /signer.*\.tar\.gz is not the file that was signed: its SHA-256 is [0-9a-f]{64}, expected .*Do not unpack it; download it again/,
  )
  t.equal(named.out, "")
  t.equal((await verify(sums, "--key", key.public)).status, 6)
  restore()
  t.equal((await verify(archive, "--key", key.public)).status, 0)
})

t.test("W85: digests are trusted by the pinned key alone", async (t) => {
  const other = newKey("other")
  t.match(await verify(archive, "--key", other.public), {
    status: 6,
    log: /is no signature of .* by this key/,
  })
  t.match(await verify(archive, "--key", join(ROOT, "LICENSE")), {
    status: 2,
    log: /is no public key in PEM/,
  })
  const rsa = join(folder, "rsa.pub")
  const { publicKey } = generateKeyPairSync("rsa", { modulusLength: 2048 })
  writeFileSync(rsa, publicKey.export({ type: "spki", format: "pem" }))
  t.match(await verify(archive, "--key", rsa), { status: 2, log: /signed with Ed25519, and this key is rsa/ })
  const restoreSums = altered(t, sums)
  t.match(await verify(archive, "--key", key.public), { status: 6, log: /is no signature of/ })
  restoreSums()
  const restoreSignature = altered(t, `${sums}.sig`)
  t.equal((await verify(archive, "--key", key.public)).status, 6)
  restoreSignature()
  const stranger = join(out, "countersign-9.9.9-linux-x64.tar.gz")
  cpSync(archive, stranger)
  t.match(await verify(stranger, "--key", key.public), {
    status: 6,
    log: /does not list .*9\.9\.9.*: it is no file of this release/,
  })
  rmSync(stranger)
  renameSync(`${sums}.sig`, `${sums}.aside`)
  t.match(await verify(archive, "--key", key.public), { status: 6, log: /SHA256SUMS\.sig is missing/ })
  renameSync(`${sums}.aside`, `${sums}.sig`)
})

t.test("W86: the code digest of a release is that of its list, and covers Node and packages", async (t) => {
  const program = `
    const { codeDigest, release } = await import("${top}/signer/enclave/provision/code.ts")
    console.log(JSON.stringify([codeDigest(), release()]))`
  const { stdout } = spawnSync(process.execPath, ["--input-type=module", "--eval", program], {
    encoding: "utf8",
  })
  t.strictSame(JSON.parse(stdout), [description.codeDigest, `countersign ${description.version}`])
  const list = readFileSync(join(top, "release", "signer.sha256"))
  t.equal(createHash("sha256").update(list).digest("hex"), description.codeDigest)
  const paths = readFileList(list.toString())?.map(({ path }) => path) ?? []
  for (const path of [
    "bin/node",
    "node_modules/secp256k1/bindings.js",
    "signer/enclave/main.ts",
    "release/release.json",
  ])
    t.ok(paths.includes(path), path)
  t.notOk(paths.some((path) => path.startsWith("services/") || path.startsWith("node_modules/koa/")))
})

/** Damaged files, each with the command lines that are refused: another word in each of the first. */
const DAMAGED = [
  ["node_modules/@noble/curves/utils.js", ["init"]],
  ["bin/node", ["serve"]],
  ["node_modules/@noble/curves/utils.js", ["serve"]],
  ["bin/node", ["init"]],
  ["signer/enclave/boot.ts", ["init"]],
  ["signer/enclave/boot.ts", ["serve"]],
  ["release/release.json", ["init"]],
  ["release/release.json", ["serve"]],
] as const

/** Starts a program of the release with an empty data directory, and tells what came of it. */
async function start(program: string, ...words: readonly string[]) {
  const data = join(folder, `data-${Math.random()}`)
  const child = spawn(join(top, program), words, {
    env: { PATH: process.env["PATH"], COUNTERSIGN_DATA_DIR: data },
    stdio: ["ignore", "pipe", "pipe"],
  })
  let output = ""
  for (const stream of [child.stdout, child.stderr]) {
    stream.on("data", (chunk: Buffer) => {
      output += chunk.toString()
      if (output.includes("signer is up")) child.kill()
    })
  }
  const [status] = (await once(child, "close")) as [number | null]
  return { status, output, isUnchanged: !existsSync(data) }
}

t.test("W85: a damaged release starts nothing and changes nothing", async (t) => {
  t.match(await start("countersign-signer", "init"), { status: 0 })
  t.match(await start("countersign-signer", "serve"), { output: /signer is up/ })
  for (const [path, words] of casesOf(2, DAMAGED)) {
    // A shell reads a changed comment of the small program in place of Node as before.
    const file = join(top, path)
    const before = readFileSync(file)
    writeFileSync(file, Buffer.concat([before, Buffer.from("\n")]))
    const { status, output, isUnchanged } = await start("countersign-signer", ...words)
    t.equal(status, 78, `${path}: ${output}`)
    t.ok(output.includes(`${path} has SHA-256 `) && output.includes("Nothing was started or changed"), output)
    t.ok(isUnchanged, `${path}: nothing was made`)
    const folderResult = await verify(top, "--key", key.public, "--sums", sums)
    t.match(folderResult, { status: 6 })
    t.ok(folderResult.log.includes(path), folderResult.log)
    writeFileSync(file, before)
  }
  const added = join(top, "node_modules", "@grpc", "grpc-js", "node_modules", "added")
  mkdirSync(added, { recursive: true })
  writeFileSync(join(added, "index.js"), "")
  t.match(await start("countersign-signer", "serve"), {
    status: 78,
    output: /added\/index\.js is in no list of the release/,
  })
  rmSync(join(top, "node_modules", "@grpc", "grpc-js", "node_modules"), { recursive: true })
  const kept = join(top, "signer", "core", "uuid.ts")
  renameSync(kept, `${kept}.aside`)
  const missing = inspectRelease(topFolder(top), "signer")
  t.match(missing?.faults, [
    "signer/core/uuid.ts is missing, and release/signer.sha256 lists it",
    /aside is in no list/,
  ])
  renameSync(`${kept}.aside`, kept)
  t.strictSame(inspectRelease(topFolder(top), "signer")?.faults, [])
  t.match(await verify(top, "--key", key.public, "--sums", sums), { status: 0 })
})

t.test("W85: a list that was replaced with the files is not one that was signed", async (t) => {
  const copy = join(folder, "copy")
  cpSync(top, copy, { recursive: true })
  const list = join(copy, "release", "signer.sha256")
  writeFileSync(join(copy, "signer", "core", "uuid.ts"), "export const altered = 1\n")
  const files = readFileList(readFileSync(list, "utf8")) ?? []
  const sha256 = createHash("sha256").update("export const altered = 1\n").digest("hex")
  writeFileSync(
    list,
    writeFileList(files.map((one) => (one.path === "signer/core/uuid.ts" ? { ...one, sha256 } : one))),
  )
  t.strictSame(inspectRelease(topFolder(copy), "signer")?.faults, [])
  t.match(await verify(copy, "--key", key.public, "--sums", sums), {
    status: 6,
    log: /is not one that was signed/,
  })
})

t.test("a checkout is no release; both tiers read a folder alike", async (t) => {
  t.equal(inspectRelease(topFolder(ROOT), "signer"), undefined)
  for (const part of ["signer/core", "bin", "nowhere"])
    t.strictSame(servicesFolder(top).pathsBelow(part), topFolder(top).pathsBelow(part), part)
  t.match(inspectRelease(topFolder(top), "api"), { faults: ["release/api.sha256 is missing"] })
  const faults = ["a", "b", "c", "d", "e"]
  t.match(sentenceOfFaults({ listDigest: "", faults }), /a; b; c; and 2 more\. Nothing was started/)
  t.equal(sentenceOfFaults({ listDigest: "", faults: [] }), undefined)
})

t.test("a list of files has one reading", async (t) => {
  const digest = "0".repeat(64)
  t.strictSame(readFileList(`${digest}  a/b.ts\n`), [{ path: "a/b.ts", sha256: digest }])
  for (const text of [
    "",
    `${digest}  a`,
    `${digest} *a\n`,
    `${digest}  /a\n`,
    `${digest}  ../a\n`,
    `${digest}  a/../b\n`,
    `${digest}  a//b\n`,
    `${digest}  a/\n`,
    `${digest}  ./a\n`,
    `${digest}  a\n${digest}  a\n`,
    `${digest}  a\n\n`,
    `${digest.slice(1)}  a\n`,
    `\\${digest}  a\\nb\n`,
  ])
    t.equal(readFileList(text), undefined, JSON.stringify(text))
})

t.test("in a release printed commands are its own programs", async (t) => {
  const line = (text: string) => withOwnCommands(text, true, ROOT)
  t.equal(
    line("ask: npx countersign-signer pins, or npx countersign whoami"),
    "ask: ./countersign-signer pins, or ./countersign whoami",
  )
  t.equal(line("wait until `npm start` says Ready"), "wait until `./countersign dev` says Ready")
  t.equal(line("npm start -- --no-seed"), "./countersign dev --no-seed")
  t.equal(withOwnCommands("npx countersign dev", true, "/"), `${ROOT.slice(1)}/countersign dev`)
  t.equal(withOwnCommands("npx countersign dev", false), "npx countersign dev")
})

t.test("releases are signed over the bytes of the digests", async (t) => {
  const signature = readFileSync(`${sums}.sig`)
  t.ok(signature.equals(sign(null, readFileSync(sums), readFileSync(key.private, "utf8"))))
})
