import { mkdir, readFile, rename, writeFile } from "node:fs/promises"
import { basename, dirname, join } from "node:path"
import { text as readAll } from "node:stream/consumers"
import { fromJson } from "@bufbuild/protobuf"
import { type Pins, PinsSchema } from "../../proto/gen/countersign/state/v1/setup_pb.ts"
import { pinsDigest } from "../../signer/core/proof/verify/trusted-pins.ts"
import { type ApiClient, get } from "./api-client.ts"
import { CliError, ExitCode, usage } from "./exit.ts"

/**
 * Fetches the deployment's pins and compares them with the operator's digest, because the API tier that relays them is
 * not trusted.
 */
export async function fetchPins(client: ApiClient, digest: Uint8Array): Promise<Pins> {
  const reply = await get(client, "/public/v1/pins")
  let pins: Pins
  try {
    pins = fromJson(PinsSchema, reply as never)
  } catch (cause) {
    throw new CliError(ExitCode.fault, `the reply of ${client.url} holds no pins`, { cause })
  }
  if (pinsDigest(pins) !== Buffer.from(digest).toString("hex")) {
    throw new CliError(
      ExitCode.verificationFailed,
      `${client.url} claims to be deployment ${pins.deploymentId}, but the setup code is for another ` +
        "one. Nothing was sent. Check the address, then ask the operator for the pins that countersign-signer pins prints",
    )
  }
  return pins
}

/**
 * Writes the pins to the profile. Pins that they replace are kept beside them, valid until now, for proofs of their time.
 * Returns true if there were any.
 */
export async function savePins(file: string, pins: Pins, nowMs: number): Promise<boolean> {
  const content = jsonText(membersOf(pins))
  const before = await readFile(file, "utf8").catch(() => undefined)
  if (before === content) return false
  await mkdir(dirname(file), { recursive: true, mode: 0o700 })
  if (before !== undefined) {
    const formerFile = formerPinsFile(file)
    const former = await readPinsFile(formerFile).catch(() => [])
    const replaced = pinsIn(before).map((one) => ({ ...one, validUntilMs: nowMs }))
    await replaceFile(formerFile, jsonText([...replaced, ...former].map(withValidity)))
  }
  await replaceFile(file, content)
  return before !== undefined
}

/** Pins, and the end of their validity in Unix milliseconds; undefined: they serve proofs of any time. */
export type DatedPins = { pins: Pins; validUntilMs: number | undefined }

/** The file of the profile's former pins: `former-pins.json` beside `pins.json`. */
export function formerPinsFile(file: string): string {
  return join(dirname(file), `former-${basename(file)}`)
}

/**
 * Pins of a file, or of standard input for `-`: one JSON object, or a list of them. Each may have a `validUntil` in the form of RFC 3339.
 *
 * @throws {CliError} usage; {Error} of the file system
 */
export async function readPinsFile(file: string): Promise<DatedPins[]> {
  const list = pinsIn(file === "-" ? await readAll(process.stdin) : await readFile(file, "utf8"))
  if (list.length > 0) return list
  throw usage(`${file} holds no pins`)
}

/** Hexadecimal digits of a point: the first half of a key set. */
export const POINT_DIGITS = 130

/** Today's pins: the first ones of a file. @throws {CliError} usage */
export async function readTrustedPins(file: string): Promise<Pins> {
  const [trusted] = await readPinsFile(file).catch((cause: NodeJS.ErrnoException) => {
    if (cause instanceof CliError) throw cause
    const sentence = `${file} cannot be read (${cause.code ?? cause.message}). Name another with --pins FILE`
    throw usage(sentence, { cause })
  })
  if (trusted === undefined) throw usage(`${file} holds no pins`)
  return trusted.pins
}

/** Pins in a text; empty: it is not one of pins alone. */
function pinsIn(text: string): DatedPins[] {
  try {
    const content: unknown = JSON.parse(text)
    return (Array.isArray(content) ? content : [content]).map(readDatedPins)
  } catch {
    return []
  }
}

function readDatedPins(json: { validUntil?: unknown }): DatedPins {
  const { validUntil, ...members } = json
  const pins = fromJson(PinsSchema, members as never)
  if (validUntil === undefined) return { pins, validUntilMs: undefined }
  const validUntilMs = typeof validUntil === "string" ? Date.parse(validUntil) : Number.NaN
  if (Number.isNaN(validUntilMs)) throw new Error("validUntil: write a time as 2026-01-31T00:00:00Z")
  return { pins, validUntilMs }
}

function withValidity({ pins, validUntilMs }: DatedPins): object {
  const validity = validUntilMs === undefined ? {} : { validUntil: new Date(validUntilMs).toISOString() }
  return { ...membersOf(pins), ...validity }
}

function jsonText(value: object): string {
  return `${JSON.stringify(value, undefined, 2)}\n`
}

async function replaceFile(file: string, text: string): Promise<void> {
  await writeFile(`${file}.new`, text, { mode: 0o600 })
  await rename(`${file}.new`, file)
}

/** The pins as JSON, without the keys of processes that the signer is not paired with. */
export function membersOf({
  deploymentId,
  signerPublicKey,
  notarizerPublicKey,
  fetcherPublicKey,
  onRampPublicKey,
  authProxyPublicKey,
}: Pins) {
  return {
    deploymentId,
    signerPublicKey,
    notarizerPublicKey,
    ...(fetcherPublicKey !== "" && { fetcherPublicKey }),
    ...(onRampPublicKey !== "" && { onRampPublicKey }),
    ...(authProxyPublicKey !== "" && { authProxyPublicKey }),
  }
}
