import type { System } from "../system/system.ts"
import { type CallReply, StampingClient } from "../suborgs/caller.ts"
import { newStampKey } from "../suborgs/documents.ts"

/** Somebody with a sub-organization, who logs in by an e-mail address and by an identity. */
export type LoginCustomer = { organizationId: string; contact: string; subject: string }

type Json = { [member: string]: unknown }

/** Creates at once so many sub-organizations. */
const CONNECTIONS = 8

const MAX_ATTEMPTS = 5

/** A request that the service could not serve just now is sent again, as its reply says. */
async function submitted(send: () => Promise<CallReply>): Promise<CallReply> {
  for (let attempt = 1; ; attempt++) {
    const answer = await send()
    if (answer.status !== 503 || attempt === MAX_ATTEMPTS) return answer
  }
}

/** Enables codes and the auth proxy for the bench's organization, and makes its customers. */
export async function makeCustomers(
  { target }: Pick<System, "target">,
  issuer: { token(subject: string, publicKeyHex: string): string },
  count: number,
): Promise<{ configId: string; customers: LoginCustomer[] }> {
  const caller = new StampingClient(target, target)
  const submit = async (path: string, type: string, parameters: object): Promise<Json> => {
    const { text } = await submitted(() => caller.submit(path, type, target.organizationId, parameters))
    const { activity } = JSON.parse(text) as { activity?: { status: string; result: object } }
    if (activity?.status !== "ACTIVITY_STATUS_COMPLETED") throw new Error(`${path} did not complete: ${text}`)
    return Object.values(activity.result)[0] as Json
  }
  try {
    const feature = { name: "FEATURE_NAME_OTP_EMAIL_AUTH", value: "" }
    await submit("set_organization_feature", "SET_ORGANIZATION_FEATURE", feature)
    await submit("enable_auth_proxy", "ENABLE_AUTH_PROXY", {})
    const settings = { allowedAuthMethods: ["email", "oidc"], sessionExpirationSeconds: 3600 }
    const updated = await submit("update_auth_proxy_config", "UPDATE_AUTH_PROXY_CONFIG", settings)
    const customers: LoginCustomer[] = []
    const lane = async () => {
      while (customers.length < count) {
        const customer = {
          contact: `customer-${customers.length}@bench.example`,
          subject: `${customers.length}`,
        }
        const made = { ...customer, organizationId: "" }
        customers.push(made)
        made.organizationId = String((await submit(...creation(customer, issuer)))["subOrganizationId"])
      }
    }
    await Promise.all(Array.from({ length: CONNECTIONS }, lane))
    return { configId: String(updated["configId"]), customers }
  } finally {
    caller.close()
  }
}

function creation(
  { contact, subject }: Omit<LoginCustomer, "organizationId">,
  issuer: { token(subject: string, publicKeyHex: string): string },
): [path: string, type: string, parameters: object] {
  const { publicKeyHex } = newStampKey()
  const rootUser = {
    userName: contact,
    userEmail: contact,
    apiKeys: [{ apiKeyName: "key", publicKey: publicKeyHex, curveType: "API_KEY_CURVE_P256" }],
    authenticators: [],
    oauthProviders: [{ providerName: "bench", oidcToken: issuer.token(subject, publicKeyHex) }],
  }
  const parameters = { subOrganizationName: contact, rootUsers: [rootUser], rootQuorumThreshold: 1 }
  return ["create_sub_organization", "CREATE_SUB_ORGANIZATION_V7", parameters]
}
