import { type ApiClient, apiKey, ethereumAccount, type Tenant, valueOf } from "./api-client.ts"
import { newKey, type TestKey } from "./stamper.ts"

type Version = "v4" | "v5" | "v6" | "v7" | "v8"

/** Parameters of create_sub_organization, in any of its versions: root users with one key each, a wallet. */
export function subOrganization(
  rootUsers: readonly { name: string; key: TestKey }[],
  { version = "v7", ...others }: { version?: Version; [member: string]: unknown } = {},
) {
  return {
    subOrganizationName: "Customer",
    rootUsers: rootUsers.map(({ name, key }) => rootUser(name, key, version)),
    rootQuorumThreshold: 1,
    wallet: { walletName: "First", accounts: [ethereumAccount(0), ethereumAccount(1)] },
    ...others,
  }
}

/** The first versions knew neither curves of API keys nor OAuth providers. */
function rootUser(userName: string, key: TestKey, version: Version) {
  const knowsCurves = version !== "v4" && version !== "v5"
  const keyParams = knowsCurves ? apiKey(key) : { apiKeyName: "key", publicKey: key.publicKeyHex }
  const providers = version === "v4" ? {} : { oauthProviders: [] }
  return { userName, apiKeys: [keyParams], authenticators: [], ...providers }
}

/** A sub-organization of one root user. */
export async function child(
  client: ApiClient,
  parent: Tenant,
  others: { key?: TestKey; [member: string]: unknown } = {},
): Promise<Tenant & { parentId: string; address: string; walletId: string }> {
  const { key: root = newKey(), ...parameters } = others
  const outcome = await client.submit(
    parent.root,
    "ACTIVITY_TYPE_CREATE_SUB_ORGANIZATION_V7",
    parent.organizationId,
    subOrganization([{ name: "root", key: root }], parameters),
  )
  const result = valueOf(outcome, "createSubOrganizationResultV7")
  return {
    parentId: parent.organizationId,
    organizationId: result.subOrganizationId,
    root,
    rootUserId: result.rootUserIds[0]!,
    walletId: result.wallet?.walletId ?? "",
    address: result.wallet?.addresses[0] ?? "",
  }
}
