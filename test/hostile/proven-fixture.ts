import type { ApiClient, Tenant } from "../harness/api-client.ts"
import { sent, type Sent } from "../harness/proofs.ts"
import { fingerprintOf, type TestKey } from "../harness/stamper.ts"

export type Json = { [name: string]: unknown }

/** A root quorum of two out of root, alice and bob. */
export async function quorumOfTwo(client: ApiClient, tenant: Tenant) {
  const { organizationId, root, rootUserId } = tenant
  const [alice, bob] = [await client.user(tenant, "alice"), await client.user(tenant, "bob")]
  const quorum = { threshold: 2, userIds: [rootUserId, alice.userId, bob.userId] }
  await client.submit(root, "ACTIVITY_TYPE_UPDATE_ROOT_QUORUM", organizationId, quorum)
  const vote = (kind: "APPROVE" | "REJECT", target: string, by: TestKey): Promise<Sent> => {
    const fingerprint = `sha256:${fingerprintOf(target)}`
    return sent(client, client.body(`ACTIVITY_TYPE_${kind}_ACTIVITY`, organizationId, { fingerprint }), by)
  }
  return { alice, bob, vote }
}
