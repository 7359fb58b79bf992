import { type ApiClient, activityBody, submit } from "../terminal-client/api-client.ts"
import type { NamedKey } from "../terminal-client/key-folder.ts"
import { fetchPins, savePins } from "../terminal-client/pins.ts"
import type { Settings } from "../terminal-client/settings.ts"
import { readSetupCode } from "../terminal-client/setup-code.ts"
import type { Layout } from "./layout.ts"
import { type SeedProgress, writeProgress } from "./seed-files.ts"
import { identify } from "./seed-steps.ts"
import type { Operator } from "./signer.ts"

/** Parts of the running system that seeding uses. */
export type Seeding = {
  client: ApiClient
  operator: Operator
  settings: Settings
  layout: Layout
  log: (line: string) => void
}

/** A body is valid for one hour. After this time a new one is made. */
const BODY_REUSE_MS = 50 * 60_000

export type DevOrganization = { organizationId: string; userId: string }

/** Creates organization Dev with user root, or finds the one of an interrupted attempt. */
export async function createDevOrganization(
  seeding: Seeding,
  root: NamedKey,
  progress: SeedProgress | undefined,
): Promise<DevOrganization> {
  const client = { ...seeding.client, key: root }
  if (progress) {
    const { organizationId, body, sentAtMs } = progress
    const { user } = await identify({ client, organizationId })
    if (user) return { organizationId, userId: user.userId }
    if (Date.now() - sentAtMs < BODY_REUSE_MS) return send(client, body)
  }
  const setupCode = await seeding.operator.setupCode(root.publicKey)
  const { organizationId, pinsDigest } = readSetupCode(setupCode, Date.now())
  await savePins(seeding.settings.pinsFile, await fetchPins(client, pinsDigest), Date.now())
  const apiKeys = [{ apiKeyName: "root", publicKey: root.publicKey, curveType: "API_KEY_CURVE_P256" }]
  const body = activityBody("ACTIVITY_TYPE_CREATE_ORGANIZATION", organizationId, {
    setupCode,
    organizationName: "Dev",
    rootUser: { userName: "root", apiKeys },
  })
  await writeProgress(seeding.layout.seedProgress, { organizationId, body, sentAtMs: Date.now() })
  return send(client, body)
}

async function send(client: Seeding["client"], body: string): Promise<DevOrganization> {
  const { organizationId, userId } = await submit(client, "create_organization", body)
  return { organizationId: String(organizationId), userId: String(userId) }
}
