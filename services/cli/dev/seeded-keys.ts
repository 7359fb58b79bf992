import { existsSync } from "node:fs"
import { z } from "zod"
import { type ApiClient, post } from "../api-client.ts"
import { CliError, ExitCode } from "../exit.ts"
import { show } from "../here.ts"
import { bindKey, type NamedKey, privateKeyFile, readExactKey } from "../key-folder.ts"
import type { Settings } from "../settings.ts"
import type { Layout } from "./layout.ts"
import type { Seeded } from "./seed-files.ts"
import { identify } from "./seed-steps.ts"
import { startAnew } from "./start-anew.ts"

const Users = z.object({
  users: z.array(
    z.object({
      userName: z.string(),
      apiKeys: z.array(z.object({ credential: z.object({ publicKey: z.string() }) })),
    }),
  ),
})

/**
 * Without its seed the signer would be born anew beside a database that it takes for forged, and answer to nothing
 * but queries.
 *
 * @throws {CliError} fault, naming the files to put back
 */
export function requireRootSeed(
  settings: Settings,
  { signerSeed, signerLedger }: Layout,
  organizationId: string,
): void {
  if (existsSync(signerSeed)) return
  const pair = `${show(signerSeed)} and ${show(signerLedger)}, the pair that belongs together`
  throw new CliError(
    ExitCode.fault,
    `the signer's root seed is missing, under which all of organization Dev ${organizationId} is sealed: put back ` +
      `${pair}. ${startAnew(settings)}`,
  )
}

/**
 * A key that an earlier start made. It is never made anew: a new one would not be the user's, and would stand where
 * the old one has to be put back.
 *
 * @throws {CliError} fault, naming the file to put back
 */
export async function requireKey(settings: Settings, name: string, organization: string): Promise<NamedKey> {
  const key = await readExactKey(settings.keysFolder, name)
  if (key !== undefined) return key
  throw keyFault(settings, `the key of user ${name} is missing`, name, organization)
}

/**
 * The key of user root, whom organization Dev must know by it.
 *
 * @throws {CliError} fault: the key is not root's, or the organization is not there
 */
export async function requireRoot(
  client: ApiClient,
  settings: Settings,
  { organizationId, userId }: Seeded,
): Promise<NamedKey> {
  const root = await requireKey(settings, "root", organizationId)
  const { user, refusal } = await identify({ ...client, key: root }, organizationId)
  if (user?.userId === userId) return root
  if (refusal?.reason === "ORGANIZATION_UNKNOWN") {
    throw new CliError(
      ExitCode.fault,
      `organization Dev ${organizationId} is not in this database, nor in the signer's ledger. Another ` +
        `DATABASE_URL? Else put back what is missing in ${show(settings.dataDirectory)}. ${startAnew(settings)}`,
      { cause: refusal },
    )
  }
  const said = refusal?.message ?? "it is another user's"
  const fault = `the key of user root has changed, or is no longer his (${said})`
  throw keyFault(settings, fault, "root", organizationId, refusal)
}

/** Says which of the other users nobody can stamp for; a user who was deleted or renamed is none of them. */
export async function missOthers(
  client: ApiClient,
  settings: Settings,
  { organizationId, users }: Seeded,
  talk: (line: string) => void,
): Promise<void> {
  const body = JSON.stringify({ organizationId })
  const known = Users.parse(await post(client, "/public/v1/query/list_users", body)).users
  for (const { userName, apiKeys } of known) {
    if (!users.includes(userName)) continue
    const key = await readExactKey(settings.keysFolder, userName)
    const isHis = apiKeys.some(({ credential }) => credential.publicKey === key?.publicKey)
    if (key !== undefined && isHis) {
      if (key.organizationId === undefined) await bindKey(settings.keysFolder, userName, organizationId)
      continue
    }
    const file = show(privateKeyFile(settings.keysFolder, userName))
    const fault = key === undefined ? "is missing" : "has changed"
    talk(`the key of user ${userName} ${fault}: nobody can stamp as ${userName} until ${file} is put back`)
  }
}

function keyFault(
  settings: Settings,
  fault: string,
  name: string,
  organizationId: string,
  cause?: Error,
): CliError {
  const file = show(privateKeyFile(settings.keysFolder, name))
  return new CliError(
    ExitCode.fault,
    `${fault}. Organization Dev ${organizationId} was made with it: put back ${file}. ${startAnew(settings)}`,
    { cause },
  )
}
