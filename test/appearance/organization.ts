// An organization in which every page has something to show.
import { createECDH } from "node:crypto"
import { readEnvFile } from "../services/cli/dev-process.ts"
import type { DashboardSystem } from "../harness/dashboard.ts"
import { submitter } from "../dashboard/steps.ts"

/** Ids of what was made, for addresses of pages. */
export type Filled = { waitingId: string; digestId: string; endpointId: string; subOrganizationId: string }

export async function fillOrganization({ directory }: DashboardSystem): Promise<Filled> {
  const env = readEnvFile(directory)
  const submit = submitter(directory)
  const alice = submitter(directory, "alice")
  await submit("create_policy_v3", {
    policyName: "two-of-treasury",
    effect: "EFFECT_ALLOW",
    condition: "activity.type == 'ACTIVITY_TYPE_SIGN_RAW_PAYLOAD_V2'",
    consensus: "approvers.any(user, user.alias == 'alice') && approvers.any(user, user.alias == 'bob')",
    notes: "Payments of the treasury need two people.",
  })
  await submit("create_policy_v3", {
    policyName: "no exports",
    effect: "EFFECT_DENY",
    condition: "activity.action == 'EXPORT' && activity.resource == 'PRIVATE_KEY'",
    consensus: "true",
    notes: "",
  })
  const sign = { signWith: env["SIGN_WITH"] ?? "", hashFunction: "HASH_FUNCTION_KECCAK256" }
  const message = { ...sign, payload: "pay the supplier", encoding: "PAYLOAD_ENCODING_TEXT_UTF8" }
  const waiting = await alice("sign_raw_payload_v2", message)
  const digest = await alice("sign_raw_payload_v2", {
    ...sign,
    payload: "aa".repeat(32),
    encoding: "PAYLOAD_ENCODING_HEXADECIMAL",
    hashFunction: "HASH_FUNCTION_NO_OP",
  })
  for (const payload of ["rent of March", "rent of April"])
    await submit("sign_raw_payload_v2", { ...message, payload })
  await submit("create_user_tag", { userTagName: "treasury", userIds: [] })
  await submit("create_session_profile", {
    sessionProfileName: "signing",
    scope: "activity.action == 'SIGN'",
    expirationSeconds: "600",
    notes: "",
  })
  await submit("set_organization_feature", { name: "FEATURE_NAME_STRICT_DENY", value: "true" })
  const endpoint = await submit("create_webhook_endpoint", {
    name: "Ledger",
    url: "http://localhost:9/hook",
    subscriptions: [{ eventType: "ACTIVITY_UPDATES" }],
  })
  const { endpointId } = endpoint.result["createWebhookEndpointResult"] as { endpointId: string }
  await submit("send_webhook_test_event", { endpointId })
  const ids = []
  for (let index = 0; index < 12; index++) ids.push(await createCustomer(submit, index))
  return { waitingId: waiting.id, digestId: digest.id, endpointId, subOrganizationId: ids[0] ?? "" }
}

async function createCustomer(submit: ReturnType<typeof submitter>, index: number): Promise<string> {
  const publicKey = createECDH("prime256v1").generateKeys("hex", "compressed")
  const user = { userName: `customer${index}`, userEmail: `customer${index}@example.com` }
  const apiKeys = [{ apiKeyName: "key", publicKey, curveType: "API_KEY_CURVE_P256" }]
  const { result } = await submit("create_sub_organization_v7", {
    subOrganizationName: `Customer ${index}`,
    rootQuorumThreshold: 1,
    rootUsers: [{ ...user, apiKeys, authenticators: [], oauthProviders: [] }],
  })
  const [made] = Object.values(result) as { subOrganizationId: string }[]
  return made?.subOrganizationId ?? ""
}
