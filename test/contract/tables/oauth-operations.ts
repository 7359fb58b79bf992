// Operations on OIDC identities and OAuth 2.0 credentials outside the document, as published clients know them.
import { list, record, silentOptional, silentRequired, string } from "./field.ts"
import type { QueryOperation } from "./query.ts"
import { type Reply, reply } from "./reply.ts"
import { oauth2Credential } from "./resources.ts"

const providerIds = silentRequired(list(string))
const oauth2CredentialId = silentRequired(string)

export const oauthReplies: readonly Reply[] = [
  reply("CREATE_OAUTH_PROVIDERS", "", "createOauthProviders", { providerIds }),
  {
    type: "ACTIVITY_TYPE_CREATE_OAUTH_PROVIDERS_V2",
    intent: "createOauthProvidersIntentV2",
    result: "createOauthProvidersResultV2",
    resultFields: { providerIds },
  },
  reply("OAUTH2_AUTHENTICATE", "", "oauth2Authenticate", { oidcToken: silentRequired(string) }),
  reply("CREATE_OAUTH2_CREDENTIAL", "", "createOauth2Credential", { oauth2CredentialId }),
  reply("UPDATE_OAUTH2_CREDENTIAL", "", "updateOauth2Credential", { oauth2CredentialId }),
  reply("DELETE_OAUTH2_CREDENTIAL", "", "deleteOauth2Credential", { oauth2CredentialId }),
]

export const oauthQueries: readonly QueryOperation[] = [
  {
    path: "list_oauth2_credentials",
    body: { organizationId: silentRequired(string) },
    reply: { oauth2Credentials: silentRequired(list(record(oauth2Credential))) },
  },
  {
    path: "verify_oidc_token",
    body: { organizationId: silentRequired(string), oidcToken: silentRequired(string) },
    reply: {
      oidcClaims: silentRequired(
        record({ iss: silentRequired(string), sub: silentRequired(string), aud: silentRequired(string) }),
      ),
      verifiedEmail: silentOptional(string),
    },
  },
]
