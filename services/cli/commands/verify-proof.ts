import { existsSync } from "node:fs"
import { parseStrictJson } from "../../../proto/strict-json.ts"
import {
  type Evidence,
  type Finding,
  type Report,
  type ShownProof,
  verifyProofs,
} from "../../../signer/core/proof/verify/index.ts"
import { type Querying, query } from "../../terminal-client/api-client.ts"
import { CliError, ExitCode, usage } from "../../terminal-client/exit.ts"
import { readText } from "../../terminal-client/files/text-file.ts"
import { isObject, type Json } from "../../terminal-client/json.ts"
import { type DatedPins, formerPinsFile, readPinsFile } from "../../terminal-client/pins.ts"
import { printEither, type Terminal } from "../../terminal-client/terminal.ts"

export type ProofFiles = {
  /** File of a reply with an activity, an activity, a list of app proofs, or one proof; `-` for standard input. */
  file: string
  /** File of a boot proof or of a reply with one; by default taken from `file`, then from the API. */
  bootProof?: string
  /** Files of the trusted deployment's pins, today's first. Undefined: those of the profile. */
  pins: readonly string[] | undefined
  /** The profile's pins. */
  pinsFile: string
  /** Expected code digest. */
  codeDigest?: string
  json?: boolean
}

/** Content of a proof file. */
type ProofFileContent = { proofs: ShownProof[]; bootProofs: Json[]; activity: Json | undefined }

/** The organization at whose API a boot proof is fetched that was not given. */
export type BootProofSource = () => Promise<Querying>

/**
 * Prints the facts that app proofs prove, and those they do not cover.
 *
 * @throws {CliError} verificationFailed
 */
export async function verifyProof(
  files: ProofFiles,
  source: BootProofSource,
  terminal: Terminal,
): Promise<void> {
  const shown = readProofFile(await readJson(files.file))
  const handedIn = files.bootProof === undefined ? [] : readBootProofs(await readJson(files.bootProof))
  const bootProofs = [...shown.bootProofs, ...handedIn]
  const evidence = {
    ...shown,
    bootProofs: bootProofs.length > 0 ? bootProofs : await fetchBootProofs(shown.proofs, source, terminal),
    ...(await readPins(files)),
    codeDigest: files.codeDigest?.toLowerCase(),
  }
  const report = verifyProofs(evidence)
  printEither(terminal, files, report, linesOf(report))
  if (report.verified) return
  throw new CliError(ExitCode.verificationFailed, "verification failed: do not trust these proofs")
}

const LABELS: Readonly<Record<Finding["verdict"], string>> = {
  proven: "proven      ",
  "not-proven": "not proven  ",
  failed: "FAILED      ",
}

/** Lines of the report: proven findings first. */
function linesOf({ proofs, together }: Report): string[] {
  const groups = [
    ...proofs.map(({ type, findings }, index) => ({ title: `proof ${index + 1}  ${type}`, findings })),
    ...(together.length > 0 ? [{ title: "the proofs together", findings: together }] : []),
  ]
  return groups.flatMap(({ title, findings }) => [
    title,
    ...findings.map(({ verdict, sentence }) => `  ${LABELS[verdict]}${sentence}`),
  ])
}

function readProofFile(json: Json): ProofFileContent {
  const activity = readActivity(json)
  const list = activity?.["appProofs"] ?? json["appProofs"] ?? ("proofPayload" in json ? [json] : [])
  if (!Array.isArray(list)) throw usage("appProofs is not a list")
  return { proofs: list.map(readProof), bootProofs: readBootProofs(json), activity }
}

/** The activity in the file, complete or not; undefined if the file holds none. */
function readActivity(json: Json): Json | undefined {
  if (!("activity" in json))
    return ["fingerprint", "intent", "votes"].some((name) => name in json) ? json : undefined
  const { activity } = json
  if (!isObject(activity)) throw usage("activity is not a JSON object")
  return activity
}

/** @throws {CliError} usage */
export function readProof(value: unknown): ShownProof {
  const json = isObject(value) ? value : {}
  const [scheme, publicKey, proofPayload, signature] = [
    "scheme",
    "publicKey",
    "proofPayload",
    "signature",
  ].map((name) => {
    const member = json[name]
    if (typeof member === "string") return member
    throw usage(`an app proof has no ${name}: is this the file of an activity?`)
  }) as [string, string, string, string]
  return { scheme, publicKey, proofPayload, signature }
}

function readBootProofs(json: Json): Json[] {
  if ("ephemeralPublicKeyHex" in json) return [json]
  const { bootProofs, bootProof } = json
  const list: unknown[] = Array.isArray(bootProofs) ? bootProofs : [bootProof]
  return list.filter(isObject)
}

/** Fetches one boot proof for each key. The report names those that the API does not have. */
async function fetchBootProofs(
  proofs: readonly ShownProof[],
  source: BootProofSource,
  { log }: Terminal,
): Promise<Json[]> {
  const keys = [...new Set(proofs.map(({ publicKey }) => publicKey))]
  if (keys.length === 0) return []
  try {
    const querying = await source()
    const replies = keys.map((ephemeralKey) => query(querying, "get_boot_proof", { ephemeralKey }))
    return (await Promise.all(replies)).flatMap((reply) => readBootProofs(isObject(reply) ? reply : {}))
  } catch (error) {
    // Continue only after a refusal by the API; any other fault ends the command.
    if (!(error instanceof CliError) || error.code !== ExitCode.refused) throw error
    log(`no boot proof was fetched: ${error.lines[0]}. Give one with --boot-proof FILE`)
    return []
  }
}

/** Today's pins and former ones, from the files named or from the profile. */
export async function readPins({
  pins,
  pinsFile,
}: Pick<ProofFiles, "pins" | "pinsFile">): Promise<Pick<Evidence, "pins" | "formerPins">> {
  const former = formerPinsFile(pinsFile)
  const files = pins ?? [pinsFile, ...(existsSync(former) ? [former] : [])]
  const [current, ...formerPins] = (await Promise.all(files.map(readTrustedPins))).flat()
  // The pins of a profile are today's. Named ones may all be dated.
  if (current?.validUntilMs === undefined) return { pins: current?.pins, formerPins }
  return { pins: undefined, formerPins: [current, ...formerPins] }
}

async function readTrustedPins(file: string): Promise<DatedPins[]> {
  return readPinsFile(file).catch((cause: unknown) => {
    if (cause instanceof CliError) throw cause
    const sentence = "does not exist; it should hold the pins of the deployment that you trust"
    throw usage(`${file} ${sentence}. Name another with --pins FILE`, { cause })
  })
}

/** Reads strict JSON: of a doubled member one value could be shown and the other verified. */
async function readJson(file: string): Promise<Json> {
  const content = await readText(file)
  try {
    const json = parseStrictJson(content)
    if (isObject(json)) return json
  } catch (cause) {
    throw usage(`${file} is not JSON: ${(cause as Error).message}`, { cause })
  }
  throw usage(`${file} is not a JSON object`)
}
