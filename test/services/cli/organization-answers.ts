// Replies of a fake API to the queries with which `config` reads an organization.
export const ORGANIZATION = "0198c0de-0000-7000-8000-000000000001"
export const ROOT = "0198c0de-0000-7000-8000-000000000002"

const none = (member: string) => ({ reply: { [member]: [] } })

/** User root without credentials. */
export const root = {
  userId: ROOT,
  userName: "root",
  userTags: [],
  apiKeys: [],
  authenticators: [],
  oauthProviders: [],
  mfaPolicies: [],
}

/** An organization of user root alone. `changes`: members of its data that differ, at each query. */
export function organizationAnswers(changes: () => object = () => ({})) {
  return {
    "/public/v1/query/get_organization": () => ({
      reply: {
        organizationData: {
          organizationId: ORGANIZATION,
          name: "Acme",
          users: [root],
          policies: [],
          privateKeys: [],
          invitations: [],
          tags: [],
          rootQuorum: { threshold: 1, userIds: [ROOT] },
          features: [],
          wallets: [],
          ...changes(),
        },
      },
    }),
    "/public/v1/query/whoami": { reply: { userId: ROOT } },
    "/public/v1/query/get_session_profiles": none("sessionProfiles"),
    "/public/v1/query/list_velocity_controls": none("velocityControls"),
    "/public/v1/query/list_smart_contract_interfaces": none("smartContractInterfaces"),
    "/public/v1/query/list_webhook_endpoints": none("webhookEndpoints"),
    "/public/v1/query/list_email_templates": none("emailTemplates"),
    "/public/v1/query/list_oauth2_credentials": none("oauth2Credentials"),
    "/public/v1/query/list_fiat_on_ramp_credentials": none("fiatOnRampCredentials"),
    "/public/v1/query/list_activities": none("activities"),
  }
}
