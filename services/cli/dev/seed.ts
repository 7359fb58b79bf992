import type { ApiClient } from "../api-client.ts"
import { generateApiKey } from "../api-key.ts"
import { CliError, ExitCode } from "../exit.ts"
import { sameData, show } from "../here.ts"
import { bindKey, type NamedKey, privateKeyFile, readExactKey, readKey, writeKey } from "../key-folder.ts"
import type { Settings } from "../settings.ts"
import { foundOrganization } from "./found.ts"
import type { Layout } from "./layout.ts"
import { readProgress, readSeeded, type Seeded, writeSeeded } from "./seed-files.ts"
import { firstWallet, missingUsers } from "./seed-steps.ts"
import { missOthers, requireKey, requireRoot, requireRootSeed } from "./seeded-keys.ts"
import type { Operator } from "./signer.ts"

export type Seeding = {
  client: ApiClient
  operator: Operator
  settings: Settings
  layout: Layout
  talk: (line: string) => void
}

/** Who is in organization Dev. Only root decides alone; the others are for trying out policies. */
const USERS = ["root", "backend", "alice", "bob"] as const

/**
 * Looks at the keys before anything is started. Of an earlier start the signer's root seed and root's key must be
 * there, and all users' while the organization is under way; a first one must not meet a key of another organization.
 *
 * @throws {CliError} fault, naming the file to put back; usage, naming the key and both ways on
 */
export async function requireUsableKeys(
  settings: Settings,
  layout: Layout,
  wantsSeed: boolean,
): Promise<void> {
  const done = await readSeeded(layout.seeded)
  const begun = done ?? (await readProgress(layout.seedProgress))
  if (begun === undefined) return wantsSeed ? requireNoOwnKeys(settings) : undefined
  requireRootSeed(settings, layout, begun.organizationId)
  for (const name of done ? ["root"] : USERS) await requireKey(settings, name, begun.organizationId)
}

/** With the key of another organization `--as root` would mean Dev from then on, and one key stand for both. */
async function requireNoOwnKeys(settings: Settings): Promise<void> {
  for (const name of USERS) {
    const own = await readExactKey(settings.keysFolder, name)
    if (own?.organizationId === undefined) continue
    const files = show(privateKeyFile(settings.keysFolder, name)).replace(/private$/, "*")
    throw new CliError(
      ExitCode.usage,
      `key ${name} is that of organization ${own.organizationId}, and organization Dev would be made with it too. ` +
        `To start without Dev: ${sameData(settings)}npm start -- --no-seed. ` +
        `To have Dev beside it, with keys of its own: give ${files} another name`,
    )
  }
}

/**
 * Makes organization Dev the way anybody would: a setup code from the operator, then stamped requests. Every
 * step looks first whether it was done, so a start that was cut short is simply continued.
 */
export async function seed(seeding: Seeding): Promise<Seeded> {
  const { settings, layout } = seeding
  await requireUsableKeys(settings, layout, true)
  const done = await readSeeded(layout.seeded)
  if (done) {
    const root = await requireRoot(seeding.client, settings, done)
    await missOthers({ ...seeding.client, key: root }, settings, done, seeding.talk)
    return done
  }
  const progress = await readProgress(layout.seedProgress)
  const keys = await Promise.all(USERS.map((name) => keyOf(name, seeding, progress !== undefined)))
  const [root] = keys as [NamedKey, ...NamedKey[]]
  const { organizationId, userId } = await foundOrganization(seeding, root, progress)
  const client = { ...seeding.client, key: root }
  await missingUsers(client, organizationId, keys)
  const wallet = await firstWallet(client, organizationId)
  for (const { name } of keys) await bindKey(settings.keysFolder, name, organizationId)
  const seeded = { organizationId, userId, users: [...USERS], ...wallet }
  await writeSeeded(layout, seeded)
  return seeded
}

async function keyOf(name: string, { settings, talk }: Seeding, isBegun: boolean): Promise<NamedKey> {
  const folder = settings.keysFolder
  const there = await readExactKey(folder, name)
  if (there !== undefined) {
    if (!isBegun)
      talk(`user ${name} of organization Dev gets the key ${name} that is already in ${show(folder)}`)
    return there
  }
  await writeKey(folder, name, generateApiKey())
  return readKey(folder, name)
}
