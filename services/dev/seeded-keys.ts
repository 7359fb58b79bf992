import { existsSync } from "node:fs"
import { type ApiClient, query } from "../terminal-client/api-client.ts"
import { CliError, ExitCode } from "../terminal-client/exit.ts"
import { displayPath } from "../terminal-client/display.ts"
import { bindKey, type NamedKey, privateKeyFile, readExactKey } from "../terminal-client/key-folder.ts"
import type { Settings } from "../terminal-client/settings.ts"
import type { Layout } from "./layout.ts"
import type { Seeded } from "./seed-files.ts"
import { identify } from "./seed-steps.ts"
import { resetAdvice } from "./reset-advice.ts"

type User = { userName: string; apiKeys: { credential: { publicKey: string } }[] }

/**
 * Without its seed the signer would start as a new deployment and refuse the database's documents as forged.
 *
 * @throws {CliError} fault, with the files to restore
 */
export function requireRootSeed(
  settings: Settings,
  { signerSeed, signerLedger }: Layout,
  organizationId: string,
): void {
  if (existsSync(signerSeed)) return
  const pair = `${displayPath(signerSeed)} and ${displayPath(signerLedger)}, both from the same backup`
  throw new CliError(
    ExitCode.fault,
    `the signer's root seed is missing, and organization Dev ${organizationId} is sealed with it: restore ` +
      `${pair}. ${resetAdvice(settings)}`,
  )
}

/**
 * A key that an earlier start created. A missing key is not replaced: the user's credential is the old key, and the file of a
 * new one would be in the way when the old one is restored.
 *
 * @throws {CliError} fault, with the file to restore
 */
export async function requireKey(settings: Settings, name: string, organization: string): Promise<NamedKey> {
  const key = await readExactKey(settings.keysFolder, name)
  if (key !== undefined) return key
  throw keyFault(settings, `the key of user ${name} is missing`, name, organization)
}

/**
 * The key of user root in organization Dev.
 *
 * @throws {CliError} fault: the key is not root's, or the organization is unknown
 */
export async function requireRoot(
  client: ApiClient,
  settings: Settings,
  { organizationId, userId }: Seeded,
): Promise<NamedKey> {
  const root = await requireKey(settings, "root", organizationId)
  const { user, refusal } = await identify({ client: { ...client, key: root }, organizationId })
  if (user?.userId === userId) return root
  if (refusal?.reason === "ORGANIZATION_UNKNOWN") {
    throw new CliError(
      ExitCode.fault,
      `organization Dev ${organizationId} is neither in this database nor in the signer's ledger. Check ` +
        `DATABASE_URL, or restore what is missing in ${displayPath(settings.dataDirectory)}. ${resetAdvice(settings)}`,
      { cause: refusal },
    )
  }
  const reason = refusal?.lines[0] ?? "the key belongs to another user"
  const fault = `the key of user root has changed or was removed (${reason})`
  throw keyFault(settings, fault, "root", organizationId, refusal)
}

/** Logs each seeded user whose key is missing or changed; deleted and renamed users are skipped. */
export async function warnOfMissingKeys(
  client: ApiClient,
  settings: Settings,
  { organizationId, users }: Seeded,
  log: (line: string) => void,
): Promise<void> {
  const known = await query<{ users: User[] }>({ client, organizationId }, "list_users")
  for (const { userName, apiKeys } of known.users) {
    if (!users.includes(userName)) continue
    const key = await readExactKey(settings.keysFolder, userName)
    const isOwnKey = apiKeys.some(({ credential }) => credential.publicKey === key?.publicKey)
    if (key !== undefined && isOwnKey) {
      if (key.organizationId === undefined) await bindKey(settings.keysFolder, userName, organizationId)
      continue
    }
    const file = displayPath(privateKeyFile(settings.keysFolder, userName))
    const fault = key === undefined ? "is missing" : "has changed"
    log(`the key of user ${userName} ${fault}: restore ${file} to stamp as ${userName}`)
  }
}

function keyFault(
  settings: Settings,
  fault: string,
  name: string,
  organizationId: string,
  cause?: Error,
): CliError {
  const file = displayPath(privateKeyFile(settings.keysFolder, name))
  return new CliError(
    ExitCode.fault,
    `${fault}. Organization Dev ${organizationId} was created with it: restore ${file}. ${resetAdvice(settings)}`,
    { cause },
  )
}
