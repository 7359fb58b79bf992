import { mkdir, readdir, readFile, rename, rm, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { type ApiKey, dangerouslyRevealPrivateKey, readApiKey } from "./api-key.ts"
import { CliError, ExitCode, usage } from "./exit.ts"

/**
 * Files of one key, in the layout of the published command line, so that both can use the folder. NAME.private holds
 * the scalar and NAME.public the compressed point, hexadecimal without a newline. NAME.meta names the key's
 * organizations.
 */
export type KeyFiles = { name: string; publicKey: string; privateKeyFile: string; publicKeyFile: string }

/** A key of the folder, with its newest organization. */
export type NamedKey = ApiKey & { name: string; organizationId?: string }

const NAME = /^[a-z0-9][a-z0-9._-]{0,63}$/i

/** Writes a new key. It never replaces a key, because that key's owner could no longer stamp. */
export async function writeKey(folder: string, name: string, key: ApiKey): Promise<KeyFiles> {
  requireName(name)
  await mkdir(folder, { recursive: true, mode: 0o700 })
  if ((await listNames(folder)).includes(name)) {
    throw usage(`a key ${name} is already in ${folder}. It was not changed`)
  }
  const files = paths(folder, name)
  // The private half comes last, because its file marks the key as complete.
  await writeFile(files.public, key.publicKey, { mode: 0o600 })
  await writeMeta(files.meta, name, key.publicKey, [])
  await writeFile(files.private, dangerouslyRevealPrivateKey(key), { mode: 0o600, flag: "wx" })
  return { name, publicKey: key.publicKey, privateKeyFile: files.private, publicKeyFile: files.public }
}

/** Puts the organization first in the key's list of organizations. */
export async function bindKey(folder: string, name: string, organizationId: string): Promise<void> {
  const { meta } = paths(folder, name)
  const { publicKey, organizationId: before } = await readKey(folder, name)
  if (before === organizationId) return
  await writeMeta(meta, name, publicKey, [organizationId, ...(before ? [before] : [])])
}

/** The key with this name, or with the only name that begins with it. */
export async function readKey(folder: string, wanted: string): Promise<NamedKey> {
  const names = await listNames(folder)
  const fitting = names.includes(wanted) ? [wanted] : names.filter((name) => name.startsWith(wanted))
  const [name] = fitting
  if (!name || fitting.length > 1) {
    const known = names.length > 0 ? `it has ${names.join(", ")}` : "it is empty"
    const fault = fitting.length > 1 ? `several keys begin with "${wanted}"` : `no key "${wanted}"`
    throw usage(`${fault} in ${folder}: ${known}. New one: npx countersign key generate NAME`)
  }
  return readNamed(folder, name)
}

/** The key with exactly this name, if it exists. */
export async function readExactKey(folder: string, name: string): Promise<NamedKey | undefined> {
  return (await listNames(folder)).includes(name) ? readNamed(folder, name) : undefined
}

/** Path of the private half. */
export function privateKeyFile(folder: string, name: string): string {
  return paths(folder, name).private
}

async function readNamed(folder: string, name: string): Promise<NamedKey> {
  const files = paths(folder, name)
  const text = await readFile(files.private, "utf8")
  const key = readApiKey(text)
  if (!key) throw new CliError(ExitCode.fault, `${files.private} ${faultOf(text)}`)
  const meta = await readFile(files.meta, "utf8").catch(() => "{}")
  const { organizations } = JSON.parse(meta) as { organizations?: string[] }
  const organizationId = organizations?.[0]
  return { name, ...key, ...(organizationId && { organizationId }) }
}

/** The published command line also makes keys of other curves, which it names behind the digits. */
function faultOf(text: string): string {
  const [, curve] = /^[0-9a-f]+:(secp256k1|ed25519)$/i.exec(text.trim()) ?? []
  const sentence = "holds no P-256 private key (64 hexadecimal digits)"
  return curve === undefined
    ? sentence
    : `${sentence}, but one of ${curve}: this command line stamps with P-256 only`
}

/** The key with this public half. */
export async function findKey(folder: string, publicKey: string): Promise<NamedKey | undefined> {
  for (const name of await listNames(folder)) {
    const text = await readFile(paths(folder, name).public, "utf8").catch(() => "")
    if (text.trim().toLowerCase() === publicKey.toLowerCase()) return readKey(folder, name)
  }
  return undefined
}

async function listNames(folder: string): Promise<string[]> {
  const entries = await readdir(folder).catch(() => [])
  return entries
    .filter((entry) => entry.endsWith(".private"))
    .map((entry) => entry.slice(0, -".private".length))
}

function paths(folder: string, name: string) {
  const at = (ending: string) => join(folder, `${name}.${ending}`)
  return { private: at("private"), public: at("public"), meta: at("meta") }
}

async function writeMeta(
  path: string,
  name: string,
  publicKey: string,
  organizations: string[],
): Promise<void> {
  const content = { name, organizations, public_key: publicKey, scheme: "SIGNATURE_SCHEME_TK_API_P256" }
  const staging = `${path}.new`
  await rm(staging, { force: true })
  await writeFile(staging, `${JSON.stringify(content)}\n`, { mode: 0o600 })
  await rename(staging, path)
}

function requireName(name: string): void {
  if (NAME.test(name)) return
  const rule = "1 to 64 letters, digits, dots, dashes, underscores; the first a letter or digit"
  throw usage(`"${name}" cannot name a key file: ${rule}`)
}
