import { commandText } from "../../../signer/core/command-text.ts"
import { type ApiClient, activityBody, submit } from "../../terminal-client/api-client.ts"
import {
  type ApiKey,
  dangerouslyRevealPrivateKey,
  generateApiKey,
  readApiKey,
} from "../../terminal-client/api-key.ts"
import { CliError, ExitCode, usage } from "../../terminal-client/exit.ts"
import { findKey } from "../../terminal-client/key-folder.ts"
import { recordOrganization } from "../record-organization.ts"
import { readPublicKey } from "../resources/api-keys.ts"
import { fetchPins, savePins } from "../../terminal-client/pins.ts"
import { readSecret } from "../../terminal-client/secret-input.ts"
import { readSetupCode } from "../../terminal-client/setup-code.ts"
import type { Terminal } from "../../terminal-client/terminal.ts"

export type NewOrganization = {
  name: string
  setupCode: string
  userName: string
  userEmail?: string
  /** API key of the root user; if absent, a new one is printed once and not stored. */
  apiPublicKey?: string
  /** File of the key that the code is bound to, `-` for standard input; by default found in the keys folder. */
  stampKey?: string
}

export type ProfileFiles = { keysFolder: string; pinsFile: string; terminal: Terminal }

export type OrganizationCreation = {
  organizationId: string
  userId: string
  apiPublicKey: string
  apiPrivateKey?: string
}

/** Creates a top-level organization with an operator's setup code. */
export async function createOrganization(
  wanted: NewOrganization,
  client: ApiClient,
  { keysFolder, pinsFile, terminal }: ProfileFiles,
): Promise<OrganizationCreation> {
  const { body, stampKey, pins, publicKey, generated, organizationId } = await prepare(
    wanted,
    client,
    keysFolder,
  )
  const result = await submit({ ...client, key: stampKey }, PATH, body)
  requireSameOrganization(result.organizationId, organizationId)
  await recordOrganization(publicKey, organizationId, keysFolder, terminal)
  if (await savePins(pinsFile, pins, Date.now()))
    terminal.log(`replaced the pins in ${pinsFile}; former ones verify older proofs`)
  return {
    organizationId,
    userId: String(result.userId),
    apiPublicKey: publicKey,
    ...(generated && { apiPrivateKey: dangerouslyRevealPrivateKey(generated) }),
  }
}

/** Prints the request that would create the organization. */
export async function previewOrganization(
  wanted: NewOrganization,
  client: ApiClient,
  { keysFolder, terminal }: ProfileFiles,
): Promise<void> {
  const { body } = await prepare(wanted, client, keysFolder)
  terminal.log(`would stamp and send this to ${client.url}/public/v1/submit/${PATH}; nothing was sent`)
  terminal.print(body)
}

const PATH = "create_organization"

/** The request, the key that stamps it, and the pins that the operator's code vouches for. */
async function prepare(wanted: NewOrganization, client: ApiClient, keysFolder: string) {
  const code = readSetupCode(wanted.setupCode, Date.now())
  const stampKey = await findStampKey(wanted, code.publicKey, keysFolder)
  const given =
    wanted.apiPublicKey === undefined ? undefined : readPublicKey(wanted.apiPublicKey, "--api-public-key")
  const pins = await fetchPins(client, code.pinsDigest)
  const generated = given ? undefined : generateApiKey()
  const root = given ?? { publicKey: generated?.publicKey ?? "", curveType: "API_KEY_CURVE_P256" }
  const { organizationId } = code
  const body = activityBody("ACTIVITY_TYPE_CREATE_ORGANIZATION", organizationId, {
    setupCode: wanted.setupCode.trim(),
    organizationName: wanted.name,
    rootUser: {
      userName: wanted.userName,
      ...(wanted.userEmail !== undefined && { userEmail: wanted.userEmail }),
      apiKeys: [{ apiKeyName: wanted.userName, ...root }],
    },
  })
  return { body, stampKey, pins, publicKey: root.publicKey, generated, organizationId }
}

/**
 * Secrets are sealed for the organization of the profile: an id that the API makes up would be one of its own.
 * @throws {CliError} verificationFailed
 */
function requireSameOrganization(stated: unknown, organizationId: string): void {
  if (String(stated).toLowerCase() === organizationId.toLowerCase()) return
  throw new CliError(
    ExitCode.verificationFailed,
    `the setup code makes organization ${organizationId}, but the API answers with ${String(stated)}: nothing was stored. ` +
      "Ask the operator whether this is the address of their API",
  )
}

async function findStampKey(
  { stampKey: source }: NewOrganization,
  publicKey: string,
  keysFolder: string,
): Promise<ApiKey> {
  if (source === undefined) {
    const found = await findKey(keysFolder, publicKey)
    if (found) return found
    throw usage(
      `the setup code is bound to ${publicKey}, but ${keysFolder} has no such key. ` +
        "Name its file with --stamp-key FILE, or - for standard input",
    )
  }
  const key = readApiKey(await readSecret(source, "private key of the setup code"))
  const origin = source === "-" ? "standard input" : source
  if (!key) {
    throw usage(`${origin} holds no P-256 private key (64 hexadecimal digits)`)
  }
  if (key.publicKey !== publicKey.toLowerCase()) {
    throw usage(
      `the setup code is bound to ${publicKey}, but ${origin} holds the key ${key.publicKey}. ` +
        commandText`For that key, on the signer's host: countersign-signer setup-code --for ${key.publicKey}`,
    )
  }
  return key
}
