import type { ApiClient } from "../api-client.ts"
import { generateApiKey } from "../api-key.ts"
import { CliError, ExitCode } from "../exit.ts"
import { bindKey, type NamedKey, readKey, writeKey } from "../key-folder.ts"
import type { Settings } from "../settings.ts"
import { foundOrganization } from "./found.ts"
import type { Layout } from "./layout.ts"
import { readProgress, readSeeded, type Seeded, writeSeeded } from "./seed-files.ts"
import { firstWallet, identify, missingUsers } from "./seed-steps.ts"
import type { Operator } from "./signer.ts"

export type Seeding = {
  client: ApiClient
  operator: Operator
  settings: Settings
  layout: Layout
}

/** Who is in organization Dev. Only root decides alone; the others are for trying out policies. */
const USERS = ["root", "backend", "alice", "bob"] as const

/**
 * Makes organization Dev the way anybody would: a setup code from the operator, then stamped requests. Every
 * step looks first whether it was done, so a start that was cut short is simply continued.
 */
export async function seed(seeding: Seeding): Promise<Seeded> {
  const { settings, layout } = seeding
  const done = await readSeeded(layout.seeded)
  const root = await keyOf(settings.keysFolder, "root")
  if (done) {
    const isThere = await identify({ ...seeding.client, key: root }, done.organizationId)
    if (isThere) return done
    throw new CliError(
      ExitCode.fault,
      `organization Dev ${done.organizationId} is not in this database. Another DATABASE_URL? ` +
        "To forget it and start anew: npx countersign dev --reset",
    )
  }
  const keys = await Promise.all(USERS.map((name) => keyOf(settings.keysFolder, name)))
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
  try {
    return await readKey(folder, name)
  } catch (error) {
    if (!(error instanceof CliError) || error.code !== ExitCode.usage) throw error
    await writeKey(folder, name, generateApiKey())
    return readKey(folder, name)
  }
}
