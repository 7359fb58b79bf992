import { createHash } from "node:crypto"
import { mkdir, readFile, rename, writeFile } from "node:fs/promises"
import { dirname } from "node:path"
import { create, fromJson, toBinary } from "@bufbuild/protobuf"
import { type Pins, PinsSchema } from "../../proto/gen/countersign/state/v1/setup_pb.ts"
import { type ApiClient, get } from "./api-client.ts"
import { CliError, ExitCode } from "./exit.ts"

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
  if (Buffer.compare(pinsDigest(pins), digest) !== 0) {
    throw new CliError(
      ExitCode.verificationFailed,
      `${client.url} claims to be deployment ${pins.deploymentId}, but the setup code is for another ` +
        "one. Nothing was sent. Check the address, then ask the operator: npx countersign-signer pins",
    )
  }
  return pins
}

/** SHA-256 of the serialized message, fields in the order of their numbers. */
export function pinsDigest(pins: Pins): Buffer {
  const known = create(PinsSchema, membersOf(pins))
  return createHash("sha256").update(toBinary(PinsSchema, known)).digest()
}

/** Writes the pins to the profile. Returns true if they replace pins of another deployment. */
export async function savePins(file: string, pins: Pins): Promise<boolean> {
  const text = `${JSON.stringify(membersOf(pins), undefined, 2)}\n`
  const before = await readFile(file, "utf8").catch(() => undefined)
  if (before === text) return false
  await mkdir(dirname(file), { recursive: true, mode: 0o700 })
  await writeFile(`${file}.new`, text, { mode: 0o600 })
  await rename(`${file}.new`, file)
  return before !== undefined
}

/** Omits the fetcher's key if the signer is not paired. */
function membersOf({ deploymentId, signerPublicKey, notarizerPublicKey, fetcherPublicKey }: Pins) {
  const own = { deploymentId, signerPublicKey, notarizerPublicKey }
  return fetcherPublicKey === "" ? own : { ...own, fetcherPublicKey }
}
