import { readFile } from "node:fs/promises"
import { text } from "node:stream/consumers"
import { fromJson } from "@bufbuild/protobuf"
import { type Pins, PinsSchema } from "../../../proto/gen/countersign/state/v1/setup_pb.ts"
import { parseStrictJson } from "../../../proto/strict-json.ts"
import {
  type Finding,
  type Report,
  type ShownProof,
  verifyProofs,
} from "../../../signer/core/proof/verify/index.ts"
import { type ApiClient, post } from "../api-client.ts"
import { CliError, ExitCode } from "../exit.ts"
import { printResult, type Terminal } from "../terminal.ts"

type Json = { readonly [name: string]: unknown }

export type ProofFiles = {
  /** A reply with an activity, an activity, a list of app proofs or one; `-` for standard input. */
  file: string
  /** A reply with a boot proof, or one; absent: as in `file`, else as the API says. */
  bootProof?: string
  /** The pins of the deployment that is trusted. */
  pins: string
  /** Code digest that is expected. */
  codeDigest?: string
  json?: boolean
}

/** What was read of a file. */
type Shown = { proofs: ShownProof[]; bootProofs: Json[]; activity: Json | undefined }

/** Where a boot proof that was not handed in can be asked for. */
export type BootSource = () => Promise<{ client: ApiClient; organizationId: string }>

/**
 * Says what app proofs prove and what they do not.
 *
 * @throws {CliError} verificationFailed, when anything failed
 */
export async function verifyProof(files: ProofFiles, source: BootSource, terminal: Terminal): Promise<void> {
  const shown = readShown(await readJson(files.file))
  const handedIn = files.bootProof === undefined ? [] : readBootProofs(await readJson(files.bootProof))
  const bootProofs = [...shown.bootProofs, ...handedIn]
  const evidence = {
    ...shown,
    bootProofs: bootProofs.length > 0 ? bootProofs : await fetchBootProofs(shown.proofs, source, terminal),
    pins: await readPins(files.pins),
    codeDigest: files.codeDigest?.toLowerCase(),
  }
  const report = verifyProofs(evidence)
  if (files.json) printResult(terminal, report, files)
  else for (const line of linesOf(report)) terminal.print(line)
  if (report.verified) return
  throw new CliError(ExitCode.verificationFailed, "verification failed: do not rely on what these proofs say")
}

const LABELS: Readonly<Record<Finding["verdict"], string>> = {
  proven: "proven      ",
  "not-proven": "not proven  ",
  failed: "FAILED      ",
}

/** What was proven first, then what was not. */
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

function readShown(json: Json): Shown {
  const activity = readActivity(json)
  const list = activity?.["appProofs"] ?? json["appProofs"] ?? ("proofPayload" in json ? [json] : [])
  if (!Array.isArray(list)) throw new CliError(ExitCode.usage, "appProofs is no list")
  return { proofs: list.map(readProof), bootProofs: readBootProofs(json), activity }
}

/** Undefined only where nothing of one is there: what looks like an activity is compared, whatever it lacks. */
function readActivity(json: Json): Json | undefined {
  if (!("activity" in json))
    return ["fingerprint", "intent", "votes"].some((name) => name in json) ? json : undefined
  const activity = objectOf(json["activity"])
  if (activity === undefined) throw new CliError(ExitCode.usage, "activity is no JSON object")
  return activity
}

function readProof(value: unknown): ShownProof {
  const json = objectOf(value) ?? {}
  const [scheme, publicKey, proofPayload, signature] = [
    "scheme",
    "publicKey",
    "proofPayload",
    "signature",
  ].map((name) => {
    const member = json[name]
    if (typeof member === "string") return member
    throw new CliError(ExitCode.usage, `an app proof has no ${name}: is this the file of an activity?`)
  }) as [string, string, string, string]
  return { scheme, publicKey, proofPayload, signature }
}

function readBootProofs(json: Json): Json[] {
  if ("ephemeralPublicKeyHex" in json) return [json]
  const { bootProofs, bootProof } = json
  const list: unknown[] = Array.isArray(bootProofs) ? bootProofs : [bootProof]
  return list.map(objectOf).filter((one) => one !== undefined)
}

/** One for each key; what the API does not give is missing, and the verdict says so. */
async function fetchBootProofs(
  proofs: readonly ShownProof[],
  source: BootSource,
  { talk }: Terminal,
): Promise<Json[]> {
  const keys = [...new Set(proofs.map(({ publicKey }) => publicKey))]
  if (keys.length === 0) return []
  try {
    const { client, organizationId } = await source()
    const replies = keys.map((ephemeralKey) =>
      post(client, "/public/v1/query/get_boot_proof", JSON.stringify({ organizationId, ephemeralKey })),
    )
    return (await Promise.all(replies)).flatMap((reply) => readBootProofs(objectOf(reply) ?? {}))
  } catch (error) {
    // A refusal is the API's answer; without one there is no verdict.
    if (!(error instanceof CliError) || error.code !== ExitCode.refused) throw error
    talk(`no boot proof could be fetched: ${error.message}. Hand one in with --boot-proof FILE`)
    return []
  }
}

async function readPins(file: string): Promise<Pins> {
  const content = await readFile(file, "utf8").catch(() => undefined)
  if (content === undefined) {
    const sentence = "is not there: these would be the pins of the deployment that you trust"
    throw new CliError(ExitCode.usage, `${file} ${sentence}. Name another with --pins FILE`)
  }
  try {
    return fromJson(PinsSchema, JSON.parse(content) as never)
  } catch (cause) {
    throw new CliError(ExitCode.usage, `${file} holds no pins`, { cause })
  }
}

/** With one reading: what stands twice under a name could be shown one way and verified the other. */
async function readJson(file: string): Promise<Json> {
  const content =
    file === "-" ? await text(process.stdin) : await readFile(file, "utf8").catch(unreadable(file))
  try {
    const json = objectOf(parseStrictJson(content))
    if (json !== undefined) return json
  } catch (cause) {
    throw new CliError(ExitCode.usage, `${file} is not JSON: ${(cause as Error).message}`, { cause })
  }
  throw new CliError(ExitCode.usage, `${file} is no JSON object`)
}

function unreadable(file: string) {
  return (cause: unknown): never => {
    throw new CliError(ExitCode.usage, `${file} cannot be read`, { cause })
  }
}

function objectOf(value: unknown): Json | undefined {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Json) : undefined
}
