import { activityBody, submit } from "../api-client.ts"
import type { NamedKey } from "../key-folder.ts"
import { fetchPins, savePins } from "../pins.ts"
import { readSetupCode } from "../setup-code.ts"
import type { Seeding } from "./seed.ts"
import { type Progress, writeProgress } from "./seed-files.ts"
import { identify } from "./seed-steps.ts"

/** A body lives an hour; near its end it is safer to begin with a new one. */
const BODY_LIFE_MS = 50 * 60_000

export type Founded = { organizationId: string; userId: string }

/** Organization Dev with user root: the one of an earlier attempt if that got through, else a new one. */
export async function foundOrganization(
  seeding: Seeding,
  root: NamedKey,
  progress: Progress | undefined,
): Promise<Founded> {
  const client = { ...seeding.client, key: root }
  if (progress) {
    const { organizationId, body, sentAtMs } = progress
    const { user } = await identify(client, organizationId)
    if (user) return { organizationId, userId: user.userId }
    if (Date.now() - sentAtMs < BODY_LIFE_MS) return send(client, body)
  }
  const setupCode = await seeding.operator.setupCode(root.publicKey)
  const { organizationId, pinsDigest } = readSetupCode(setupCode, Date.now())
  await savePins(seeding.settings.pinsFile, await fetchPins(client, pinsDigest))
  const apiKeys = [{ apiKeyName: "root", publicKey: root.publicKey, curveType: "API_KEY_CURVE_P256" }]
  const body = activityBody("ACTIVITY_TYPE_CREATE_ORGANIZATION", organizationId, {
    setupCode,
    organizationName: "Dev",
    rootUser: { userName: "root", apiKeys },
  })
  await writeProgress(seeding.layout.seedProgress, { organizationId, body, sentAtMs: Date.now() })
  return send(client, body)
}

async function send(client: Seeding["client"], body: string): Promise<Founded> {
  const { organizationId, userId } = await submit(client, "create_organization", body)
  return { organizationId: String(organizationId), userId: String(userId) }
}
