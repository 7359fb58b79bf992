import { createHash, createPublicKey, type KeyObject, verify } from "node:crypto"
import { createReadStream, existsSync, readFileSync, statSync } from "node:fs"
import { basename, dirname, join, resolve } from "node:path"
import { pipeline } from "node:stream/promises"
import { parseStrictJson } from "../../../proto/strict-json.ts"
import { type ListedFile, readFileList } from "../../../signer/core/release/file-list.ts"
import { type InstalledRelease, inspectRelease } from "../../../signer/core/release/installed.ts"
import { topFolder } from "../../common/intact-release.ts"
import { CliError, ExitCode, usage } from "../../terminal-client/exit.ts"
import { isObject } from "../../terminal-client/json.ts"
import { printEither, type Terminal } from "../../terminal-client/terminal.ts"

export type ReleaseFiles = {
  /** A file of a release, its digests, or the folder of an unpacked archive. */
  file: string
  /** Public key in PEM, which the caller trusts. */
  key: string
  /** The release's digests; undefined: beside the file. */
  sums?: string | undefined
  json?: boolean | undefined
}

const SUMS = "SHA256SUMS"
const DESCRIPTION = /^countersign-.+\.release\.json$/

/** What a release says of itself. */
type Description = {
  version: string
  platform: string
  commit: string
  codeDigest: string
  zones: ZoneArchive[]
}
type ZoneArchive = { zone: string; archive: string; listDigest: string }

/**
 * Verifies a file of a release by the signed digests beside it, or an unpacked archive by the list in it that they name. It reads
 * files alone.
 *
 * @throws {CliError} usage; verificationFailed
 */
export async function verifyRelease(given: ReleaseFiles, terminal: Terminal): Promise<void> {
  const isFolder = statOf(given.file).isDirectory()
  const sumsFile = given.sums ?? (isFolder ? undefined : join(dirname(given.file), SUMS))
  if (sumsFile === undefined)
    throw usage(`${given.file} is a folder: name the digests of its release with --sums ${SUMS}`)
  const listed = readSums(sumsFile, readKey(given.key))
  const description = await readDescription(sumsFile, listed)
  const { version, platform, commit, codeDigest } = description
  const verified = isFolder ? verifyFolder(given.file, description) : await verifyFiles(given.file, listed)
  const release = `countersign ${version} ${platform}`
  printEither(terminal, given, { verified: true, release, commit, codeDigest, files: verified }, [
    ...verified.map((name) => `${name}: as it was signed`),
    `${release}, commit ${commit}`,
    ...(codeDigest === "" ? [] : [`code digest of the signer: ${codeDigest}`]),
  ])
}

function statOf(file: string) {
  return statSync(file, { throwIfNoEntry: false }) ?? missing(file)
}

function missing(file: string): never {
  throw usage(`${file}: there is no such file`)
}

function readKey(file: string): KeyObject {
  let key: KeyObject | undefined
  try {
    key = createPublicKey(readFileSync(file))
  } catch (cause) {
    throw usage(`${file} is no public key in PEM; --key names the release key that you trust`, { cause })
  }
  if (key.asymmetricKeyType === "ed25519") return key
  throw usage(`${file}: releases are signed with Ed25519, and this key is ${key.asymmetricKeyType}`)
}

/** The digests, once their signature is verified. */
function readSums(file: string, key: KeyObject): ListedFile[] {
  const signature = `${file}.sig`
  for (const path of [file, signature])
    if (!existsSync(path)) throw failed(`${path} is missing; download it with the archive`)
  const sums = readFileSync(file)
  if (!verify(null, sums, key, readFileSync(signature)))
    throw failed(`${signature} is no signature of ${file} by this key; trust no file of this release`)
  return readFileList(sums.toString()) ?? failure(`${file} is no list of digests`)
}

async function readDescription(sumsFile: string, listed: readonly ListedFile[]): Promise<Description> {
  const name = listed.find(({ path }) => DESCRIPTION.test(path))?.path
  if (name === undefined) throw failed(`${sumsFile} lists no description of the release (….release.json)`)
  const file = join(dirname(sumsFile), name)
  await verifyFiles(file, listed)
  const json: unknown = parseStrictJson(readFileSync(file, "utf8"))
  if (!isObject(json) || typeof json["version"] !== "string" || !Array.isArray(json["zones"]))
    throw failed(`${file} is of a format that this version does not know`)
  return json as unknown as Description
}

/** A file that the digests list; the digests themselves: every file of the release that is here. */
async function verifyFiles(file: string, listed: readonly ListedFile[]): Promise<string[]> {
  const name = basename(file)
  const folder = dirname(file)
  const wanted = listed.filter(({ path }) => (name === SUMS ? existsSync(join(folder, path)) : path === name))
  if (wanted.length === 0) throw failed(`${SUMS} does not list ${name}: it is no file of this release`)
  for (const { path, sha256 } of wanted) {
    const present = join(folder, path)
    if (!existsSync(present)) throw failed(`${present} is missing; download it with the archive`)
    const found = await sha256Of(present)
    if (found !== sha256)
      throw failed(
        `${path} is not the file that was signed: its SHA-256 is ${found}, expected ${sha256}. Do not unpack it; download it again`,
      )
  }
  return wanted.map(({ path }) => path)
}

async function sha256Of(file: string): Promise<string> {
  const hash = createHash("sha256")
  await pipeline(createReadStream(file), hash)
  return hash.digest("hex")
}

/** An unpacked archive: the zone whose list the description names. */
function verifyFolder(folder: string, { zones }: Description): string[] {
  const root = resolve(folder)
  let installed: InstalledRelease | undefined
  for (const { zone, listDigest } of zones) {
    installed = inspectRelease(topFolder(root), zone)
    if (installed?.listDigest === listDigest) break
  }
  if (installed === undefined) throw failed(`${folder} is no unpacked archive of a release`)
  if (!zones.some(({ listDigest }) => listDigest === installed.listDigest))
    throw failed(
      `the list of files in ${folder} is not one that was signed; unpack the archive again into a new folder`,
    )
  if (installed.faults.length > 0)
    throw new CliError(ExitCode.verificationFailed, [
      `${folder} is not as it was signed; unpack the archive again into a new folder:`,
      ...installed.faults,
    ])
  return [folder]
}

function failed(sentence: string): CliError {
  return new CliError(ExitCode.verificationFailed, `verification failed: ${sentence}`)
}

function failure(sentence: string): never {
  throw failed(sentence)
}
