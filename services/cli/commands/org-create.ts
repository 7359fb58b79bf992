import { type ApiClient, activityBody, submit } from "../api-client.ts"
import { type ApiKey, dangerouslyRevealPrivateKey, generateApiKey, readApiKey } from "../api-key.ts"
import { CliError, ExitCode } from "../exit.ts"
import { bindKey, findKey } from "../key-folder.ts"
import { fetchPins, savePins } from "../pins.ts"
import { readSecret } from "../secret-input.ts"
import { readSetupCode } from "../setup-code.ts"
import type { Terminal } from "../terminal.ts"

export type NewOrganization = {
  name: string
  setupCode: string
  userName: string
  userEmail?: string
  /** Root's API key; absent: one is made here, shown once and kept nowhere. */
  apiPublicKey?: string
  /** File with the key the code is bound to, `-` for standard input; absent: looked for in the keys folder. */
  stampKey?: string
}

export type Place = { keysFolder: string; pinsFile: string; terminal: Terminal }

export type CreatedOrganization = {
  organizationId: string
  userId: string
  apiPublicKey: string
  apiPrivateKey?: string
}

/** Gives birth to a top-level organization with the setup code that the signer's operator printed. */
export async function createOrganization(
  order: NewOrganization,
  client: ApiClient,
  { keysFolder, pinsFile, terminal }: Place,
): Promise<CreatedOrganization> {
  const code = readSetupCode(order.setupCode, Date.now())
  const stampKey = await findStampKey(order, code.publicKey, keysFolder)
  const given = order.apiPublicKey === undefined ? undefined : readPublicKey(order.apiPublicKey)
  const pins = await fetchPins(client, code.pinsDigest)
  const generated = given ? undefined : generateApiKey()
  const root = given ?? { publicKey: generated?.publicKey ?? "", curveType: "API_KEY_CURVE_P256" }
  const { organizationId } = code
  const body = activityBody("ACTIVITY_TYPE_CREATE_ORGANIZATION", organizationId, {
    setupCode: order.setupCode.trim(),
    organizationName: order.name,
    rootUser: {
      userName: order.userName,
      ...(order.userEmail !== undefined && { userEmail: order.userEmail }),
      apiKeys: [{ apiKeyName: order.userName, ...root }],
    },
  })
  const result = await submit({ ...client, key: stampKey }, "create_organization", body)
  await noteOrganization(root.publicKey, organizationId, keysFolder, terminal)
  if (await savePins(pinsFile, pins)) terminal.talk(`replaced the pins of another deployment in ${pinsFile}`)
  return {
    organizationId: String(result.organizationId),
    userId: String(result.userId),
    apiPublicKey: root.publicKey,
    ...(generated && { apiPrivateKey: dangerouslyRevealPrivateKey(generated) }),
  }
}

/** So that `--as` finds the organization. Whatever goes wrong here, the organization is there and is shown. */
async function noteOrganization(
  publicKey: string,
  organizationId: string,
  keysFolder: string,
  { talk }: Terminal,
): Promise<void> {
  try {
    const key = await findKey(keysFolder, publicKey)
    if (key) await bindKey(keysFolder, key.name, organizationId)
  } catch (error) {
    talk(`${keysFolder} does not name the organization, give --organization: ${(error as Error).message}`)
  }
}

async function findStampKey(
  { stampKey: source }: NewOrganization,
  publicKey: string,
  keysFolder: string,
): Promise<ApiKey> {
  if (source === undefined) {
    const found = await findKey(keysFolder, publicKey)
    if (found) return found
    throw new CliError(
      ExitCode.usage,
      `the setup code is bound to ${publicKey}, and no key in ${keysFolder} has that public half. ` +
        "Name the file that has it: --stamp-key FILE, or - to give it on standard input",
    )
  }
  const key = readApiKey(await readSecret(source, "private key the setup code is bound to"))
  const origin = source === "-" ? "standard input" : source
  if (!key) {
    throw new CliError(ExitCode.usage, `${origin} holds no P-256 private key (64 hexadecimal digits)`)
  }
  if (key.publicKey !== publicKey.toLowerCase()) {
    throw new CliError(
      ExitCode.usage,
      `the setup code is bound to ${publicKey}, the key from ${origin} is ${key.publicKey}. For that one: ` +
        `npx countersign-signer setup-code --for ${key.publicKey}`,
    )
  }
  return key
}

/** 66 digits are a compressed P-256 point, 64 an Ed25519 key. The signer checks that they are on the curve. */
function readPublicKey(text: string): { publicKey: string; curveType: string } {
  const publicKey = text.trim().toLowerCase()
  if (/^0[23][0-9a-f]{64}$/.test(publicKey)) return { publicKey, curveType: "API_KEY_CURVE_P256" }
  if (/^[0-9a-f]{64}$/.test(publicKey)) return { publicKey, curveType: "API_KEY_CURVE_ED25519" }
  const forms = "66 hexadecimal digits (P-256, compressed) or 64 (Ed25519)"
  throw new CliError(ExitCode.usage, `--api-public-key: not ${forms}`)
}
