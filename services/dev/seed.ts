import { generateApiKey } from "../terminal-client/api-key.ts"
import { usage } from "../terminal-client/exit.ts"
import { dataDirectoryPrefix, displayPath } from "../terminal-client/display.ts"
import {
  bindKey,
  type NamedKey,
  privateKeyFile,
  readExactKey,
  readKey,
  writeKey,
} from "../terminal-client/key-folder.ts"
import type { Settings } from "../terminal-client/settings.ts"
import type { Seeding } from "./create-dev-org.ts"
import type { Layout } from "./layout.ts"
import { readProgress, readSeeded, type Seeded, writeSeeded } from "./seed-files.ts"
import { firstWallet, missingUsers } from "./seed-steps.ts"
import { warnOfMissingKeys, requireKey, requireRoot, requireRootSeed } from "./seeded-keys.ts"

/** Users of organization Dev. Root alone is the root quorum; the others are for trying policies. */
const USERS = ["root", "backend", "alice", "bob"] as const

/**
 * Checks the keys before any process starts. After an earlier start the root seed and root's key must exist, and all
 * users' keys while seeding is incomplete. Before the first start no key may belong to another organization.
 *
 * @throws {CliError} fault, with the file to restore; usage, with the key and two remedies
 */
export async function requireUsableKeys(
  settings: Settings,
  layout: Layout,
  wantsSeed: boolean,
): Promise<void> {
  const done = await readSeeded(layout.seeded)
  const begun = done ?? (await readProgress(layout.seedProgress))
  if (begun === undefined) return wantsSeed ? requireUnusedKeys(settings) : undefined
  requireRootSeed(settings, layout, begun.organizationId)
  for (const name of done ? ["root"] : USERS) await requireKey(settings, name, begun.organizationId)
}

/** A key of another organization would become the key of both, and `--as root` would mean Dev. */
async function requireUnusedKeys(settings: Settings): Promise<void> {
  for (const name of USERS) {
    const own = await readExactKey(settings.keysFolder, name)
    if (own?.organizationId === undefined) continue
    const files = displayPath(privateKeyFile(settings.keysFolder, name)).replace(/private$/, "*")
    throw usage(
      `key ${name} belongs to organization ${own.organizationId} and would become a key of organization Dev too. ` +
        `To start without Dev: ${dataDirectoryPrefix(settings)}npm start -- --no-seed. ` +
        `To create Dev with new keys: rename ${files}`,
    )
  }
}

/**
 * Creates organization Dev through the public interface: a setup code, then stamped requests. Each step first checks
 * whether it is done, so that an interrupted start continues.
 */
export async function seed(seeding: Seeding): Promise<Seeded> {
  const { settings, layout } = seeding
  await requireUsableKeys(settings, layout, true)
  const done = await readSeeded(layout.seeded)
  if (done) {
    const root = await requireRoot(seeding.client, settings, done)
    await warnOfMissingKeys({ ...seeding.client, key: root }, settings, done, seeding.log)
    return done
  }
  const progress = await readProgress(layout.seedProgress)
  const keys = await Promise.all(USERS.map((name) => keyOf(name, seeding, progress !== undefined)))
  const [root] = keys as [NamedKey, ...NamedKey[]]
  // Loaded here: later starts create nothing.
  const { createDevOrganization } = await import("./create-dev-org.ts")
  const { organizationId, userId } = await createDevOrganization(seeding, root, progress)
  const client = { ...seeding.client, key: root }
  await missingUsers(client, organizationId, keys)
  const wallet = await firstWallet(client, organizationId)
  for (const { name } of keys) await bindKey(settings.keysFolder, name, organizationId)
  const seeded = { organizationId, userId, users: [...USERS], ...wallet }
  await writeSeeded(layout, seeded)
  return seeded
}

async function keyOf(name: string, { settings, log }: Seeding, isBegun: boolean): Promise<NamedKey> {
  const folder = settings.keysFolder
  const there = await readExactKey(folder, name)
  if (there !== undefined) {
    if (!isBegun)
      log(`user ${name} of organization Dev gets the existing key ${name} of ${displayPath(folder)}`)
    return there
  }
  await writeKey(folder, name, generateApiKey())
  return readKey(folder, name)
}
