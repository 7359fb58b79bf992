import type { ApiClient } from "../api-client.ts"
import { generateApiKey } from "../api-key.ts"
import { bindKey, type NamedKey, readExactKey, readKey, writeKey } from "../key-folder.ts"
import type { Settings } from "../settings.ts"
import { foundOrganization } from "./found.ts"
import type { Layout } from "./layout.ts"
import { readProgress, readSeeded, type Seeded, writeSeeded } from "./seed-files.ts"
import { firstWallet, missingUsers } from "./seed-steps.ts"
import { missOthers, requireKey, requireRoot } from "./seeded-keys.ts"
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
 * What must be there of an earlier start, before anything is started: root's key, and all keys while the
 * organization is under way.
 *
 * @throws {CliError} fault, naming the file to put back
 */
export async function requireEarlierKeys(settings: Settings, layout: Layout): Promise<void> {
  const done = await readSeeded(layout.seeded)
  const begun = done ?? (await readProgress(layout.seedProgress))
  if (begun === undefined) return
  for (const name of done ? ["root"] : USERS) await requireKey(settings, name, begun.organizationId)
}

/**
 * Makes organization Dev the way anybody would: a setup code from the operator, then stamped requests. Every
 * step looks first whether it was done, so a start that was cut short is simply continued.
 */
export async function seed(seeding: Seeding): Promise<Seeded> {
  const { settings, layout } = seeding
  await requireEarlierKeys(settings, layout)
  const done = await readSeeded(layout.seeded)
  if (done) {
    const root = await requireRoot(seeding.client, settings, done)
    await missOthers({ ...seeding.client, key: root }, settings, done, seeding.talk)
    return done
  }
  const keys = await Promise.all(USERS.map((name) => keyOf(settings.keysFolder, name)))
  const [root] = keys as [NamedKey, ...NamedKey[]]
  const progress = await readProgress(layout.seedProgress)
  const { organizationId, userId } = await foundOrganization(seeding, root, progress)
  const client = { ...seeding.client, key: root }
  await missingUsers(client, organizationId, keys)
  const wallet = await firstWallet(client, organizationId)
  for (const { name } of keys) await bindKey(settings.keysFolder, name, organizationId)
  const seeded = { organizationId, userId, users: [...USERS], ...wallet }
  await writeSeeded(layout, seeded)
  return seeded
}

async function keyOf(folder: string, name: string): Promise<NamedKey> {
  const there = await readExactKey(folder, name)
  if (there !== undefined) return there
  await writeKey(folder, name, generateApiKey())
  return readKey(folder, name)
}
