import type { Test } from "tap"
import { DEFAULT_LIMITS } from "../../../signer/enclave/organization/limits.ts"
import { ApiClient, apiKey, userParams, valueOf } from "../../harness/api-client.ts"
import type { Boundary } from "../../harness/boundary.ts"
import { userOf } from "../../harness/document.ts"
import { newKey } from "../../harness/stamper.ts"
import { NIL, TYPE } from "./names.ts"

/** Users, their keys, and what they may do without policies. */
export function users(t: Test, makeBoundary: (t: Test) => Promise<Boundary>): void {
  t.test("users and their keys", async (t) => {
    const boundary = await makeBoundary(t)
    const client = new ApiClient(boundary)
    const acme = await client.createOrganization()
    const { organizationId, root } = acme
    const backend = await client.user(acme, "backend")

    t.test("a user without policies may manage their own keys and nothing else", async (t) => {
      const extra = newKey()
      const outcome = await client.submit(backend.key, TYPE("CREATE_API_KEYS_V2"), organizationId, {
        userId: backend.userId,
        apiKeys: [apiKey(extra, "second")],
      })
      const [apiKeyId] = valueOf(outcome, "createApiKeysResult").apiKeyIds
      const deleted = { userId: backend.userId, apiKeyIds: [apiKeyId] }
      await client.submit(extra, TYPE("DELETE_API_KEYS"), organizationId, deleted)
      t.equal(
        await client.refused(extra, TYPE("DELETE_API_KEYS"), organizationId, deleted),
        "CREDENTIAL_UNKNOWN",
        "a deleted key's stamps are refused",
      )
      const refusedFor = (type: string, parameters: object) =>
        client.refused(backend.key, TYPE(type), organizationId, parameters)
      t.equal(await refusedFor("CREATE_WALLET", { walletName: "Mine", accounts: [] }), "PERMISSION_DENIED")
      t.equal(
        await refusedFor("CREATE_USERS_V4", { users: [userParams("eve", newKey())] }),
        "PERMISSION_DENIED",
      )
      t.equal(
        await refusedFor("UPDATE_ROOT_QUORUM", { threshold: 1, userIds: [backend.userId] }),
        "PERMISSION_DENIED",
      )
      t.equal(
        await refusedFor("CREATE_API_KEYS", {
          userId: acme.rootUserId,
          apiKeys: [{ apiKeyName: "mine", publicKey: newKey().publicKeyHex }],
        }),
        "PERMISSION_DENIED",
        "not for another user",
      )
    })

    t.test("stamps of an expired key are refused", async (t) => {
      const brief = newKey()
      await client.submit(root, TYPE("CREATE_API_KEYS_V2"), organizationId, {
        userId: acme.rootUserId,
        apiKeys: [apiKey(brief, "brief", "1")],
      })
      await boundary.pass(1_000)
      const parameters = { walletName: "Late", accounts: [] }
      t.equal(
        await client.refused(brief, TYPE("CREATE_WALLET"), organizationId, parameters),
        "CREDENTIAL_EXPIRED",
      )
    })

    t.test(
      "invalid keys, names, tags, limits and quorums are each refused with their own code",
      async (t) => {
        const refused = (type: string, parameters: object) =>
          client.refused(root, TYPE(type), organizationId, parameters)
        const users = (...list: object[]) => refused("CREATE_USERS_V4", { users: list })
        t.equal(await users(userParams("backend", newKey())), "NAME_TAKEN")
        t.equal(await users(userParams("twin", root)), "CREDENTIAL_TAKEN")
        const offCurve = { ...newKey(), publicKeyHex: `02${"ff".repeat(32)}` }
        t.equal(await users(userParams("off", offCurve)), "PUBLIC_KEY_INVALID")
        t.equal(await users({ ...userParams("tagged", newKey()), userTags: [NIL] }), "RESOURCE_UNKNOWN")
        const oauthProviders = [{ providerName: "idp", oidcToken: "e30.e30.e30" }]
        t.equal(await users({ ...userParams("oidc", newKey()), oauthProviders }), "OIDC_TOKEN_INVALID")
        const { userId } = await client.user(acme, "collector")
        const more = () => {
          const apiKeys = Array.from({ length: 20 }, (_, index) => apiKey(newKey(), `key ${index}`))
          return { userId, apiKeys }
        }
        for (let count = 1; count + 20 <= DEFAULT_LIMITS.apiKeys; count += 20)
          await client.submit(root, TYPE("CREATE_API_KEYS_V2"), organizationId, more())
        t.equal(await refused("CREATE_API_KEYS_V2", more()), "LIMIT_EXCEEDED")
        t.equal(await refused("DELETE_API_KEYS", { userId: NIL, apiKeyIds: [NIL] }), "RESOURCE_UNKNOWN")
        t.equal(
          await refused("UPDATE_ROOT_QUORUM", { threshold: 2, userIds: [acme.rootUserId] }),
          "QUORUM_INVALID",
        )
        t.equal(await refused("UPDATE_ROOT_QUORUM", { threshold: 1, userIds: [NIL] }), "QUORUM_INVALID")
      },
    )

    t.test("the last lasting key of a user cannot be deleted", async (t) => {
      const created = await client.submit(root, TYPE("CREATE_API_KEYS_V2"), organizationId, {
        userId: backend.userId,
        apiKeys: [apiKey(newKey(), "brief", "600")],
      })
      t.equal(valueOf(created, "createApiKeysResult").apiKeyIds.length, 1)
      const apiKeyIds = lastingKeyIds(client, acme.organizationId, backend.userId)
      t.equal(
        await client.refused(root, TYPE("DELETE_API_KEYS"), organizationId, {
          userId: backend.userId,
          apiKeyIds,
        }),
        "LAST_CREDENTIAL",
      )
    })
  })
}

function lastingKeyIds(client: ApiClient, organizationId: string, userId: string): string[] {
  const keys = userOf(client, organizationId, userId)?.apiKeys ?? []
  return keys.filter((key) => key.expiresAtMs === 0n).map((key) => key.apiKeyId)
}
