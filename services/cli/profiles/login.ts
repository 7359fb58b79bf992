import { commandText } from "../../../signer/core/command-text.ts"
import { existsSync } from "node:fs"
import { copyFile, mkdir, rm } from "node:fs/promises"
import { basename, dirname, join } from "node:path"
import { type ApiKey, readApiKey } from "../../terminal-client/api-key.ts"
import { clientOf } from "../api-options.ts"
import { createOrganization } from "../commands/org-create.ts"
import { requireOrganization } from "../api-options.ts"
import { whoami } from "../../terminal-client/whoami.ts"
import { usage } from "../../terminal-client/exit.ts"
import { bindKey, findKey, type NamedKey, readKey, writeKey } from "../../terminal-client/key-folder.ts"
import { fetchPins, readTrustedPins, savePins } from "../../terminal-client/pins.ts"
import { readSecret } from "../../terminal-client/secret-input.ts"
import { readSetupCode } from "../../terminal-client/setup-code.ts"
import type { Settings } from "../../terminal-client/settings.ts"
import type { Terminal } from "../../terminal-client/terminal.ts"
import { profileFolder, profileNames, requireProfileName, setActiveProfile, writeProfile } from "./profile.ts"

export type LoginOptions = {
  api: string
  /** File of the private key, `-` for standard input or a prompt. */
  key?: string
  organization?: string
  /** Name of the key in the profile. */
  as?: string
  setupCode?: string
  organizationName?: string
  userName?: string
  /** SHA-256 of the pins, from the operator. */
  pinsDigest?: string
  pins?: string
}

type Login = { name: string; folder: string; settings: Settings; terminal: Terminal }
type Credential = { key: ApiKey; keyName: string; organizationId: string }

export type LoggedIn = { profile: string; organizationId: string; user: unknown; folder: string }

/**
 * Makes a profile from a key, which must belong to a user of the organization, or from a setup code, which makes an
 * organization first. Nothing is left of a login that fails.
 *
 * @throws {CliError} usage; refused: the API does not know the key; verificationFailed: other pins
 */
export async function login(options: LoginOptions, place: Login): Promise<LoggedIn> {
  const { name, folder, settings, terminal } = place
  requireProfileName(name)
  if (profileNames(folder).includes(name))
    throw usage(`there is a profile ${name}: ${commandText`countersign profile delete ${name}`} removes it`)
  const own = profileFolder(folder, name)
  await rm(own, { recursive: true, force: true })
  await mkdir(own, { recursive: true, mode: 0o700 })
  const pinsFile = join(own, "pins.json")
  try {
    const client = clientOf(options, settings)
    const credential =
      options.setupCode === undefined
        ? await fromKey(options)
        : await fromSetupCode(options, { keysFolder: settings.keysFolder, pinsFile, terminal, client })
    const { key, keyName, organizationId } = credential
    const user = await whoami({ client: { ...client, key }, organizationId })
    await trustPins(options, pinsFile, client)
    const keys = join(own, "keys")
    await writeKey(keys, keyName, key)
    await bindKey(keys, keyName, organizationId)
    await writeProfile(folder, name, { apiUrl: client.url, organizationId, as: keyName })
    await setActiveProfile(folder, name)
    if (!existsSync(pinsFile))
      terminal.log(
        "without pins nothing can be verified: ask the operator for those that countersign-signer pins --json prints",
      )
    return { profile: name, organizationId, user, folder: own }
  } catch (error) {
    await rm(own, { recursive: true, force: true })
    throw error
  }
}

async function fromKey({ key: source, organization, as }: LoginOptions): Promise<Credential> {
  if (source === undefined) throw usage("name the file of your key with --key FILE, or - to be asked for it")
  // A file of a keys folder has its organizations beside it.
  const named = await keyOfFolder(source)
  const key = named ?? readApiKey(await readSecret(source, "private key"))
  if (key === undefined) throw usage(`${source} holds no P-256 private key (64 hexadecimal digits)`)
  return {
    key,
    keyName: as ?? named?.name ?? "root",
    organizationId: requireOrganization(organization ?? named?.organizationId),
  }
}

async function keyOfFolder(source: string): Promise<NamedKey | undefined> {
  if (!source.endsWith(".private") || !existsSync(source)) return undefined
  return readKey(dirname(source), basename(source, ".private"))
}

type SetupPlace = { keysFolder: string; pinsFile: string; terminal: Terminal; client: { url: string } }

async function fromSetupCode(
  { setupCode = "", organizationName, userName, as }: LoginOptions,
  { keysFolder, pinsFile, terminal, client }: SetupPlace,
): Promise<Credential> {
  if (organizationName === undefined || userName === undefined)
    throw usage("a setup code makes an organization: give --organization-name and --user-name")
  const { publicKey } = readSetupCode(setupCode, Date.now())
  const key = await findKey(keysFolder, publicKey)
  if (key === undefined)
    throw usage(`the setup code is bound to ${publicKey}, but ${keysFolder} has no such key`)
  const wanted = { name: organizationName, setupCode, userName, apiPublicKey: publicKey }
  const { organizationId } = await createOrganization(wanted, client, { keysFolder, pinsFile, terminal })
  return { key, keyName: as ?? key.name, organizationId }
}

/** Pins of a file, or those of the API if they have the operator's digest. A setup code has brought them already. */
async function trustPins(
  { pins, pinsDigest }: LoginOptions,
  pinsFile: string,
  client: { url: string },
): Promise<void> {
  if (pins !== undefined) {
    await readTrustedPins(pins)
    await copyFile(pins, pinsFile)
  }
  if (pinsDigest === undefined) return
  if (!/^[0-9a-f]{64}$/i.test(pinsDigest))
    throw usage("--pins-digest: not 64 hexadecimal digits, as countersign-signer pins prints them")
  await savePins(pinsFile, await fetchPins(client, Buffer.from(pinsDigest, "hex")), Date.now())
}
