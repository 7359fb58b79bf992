import { clientName, type FileOauth2Credential } from "../file-access.ts"
import {
  change,
  planned,
  type PlannedActivity,
  type Part,
  type PlanContext,
  type Secrets,
  Stage,
} from "./change.ts"
import { plannedSealed } from "./sealed.ts"

/** Clients at OAuth 2.0 providers, by provider and client id. Their secrets are given to the command, and are compared with none. */
export function planOauth2Credentials({ file, live, prune, secrets }: PlanContext): Part {
  const { oauth2Credentials: wanted } = file
  if (wanted === undefined) return { activities: [] }
  const known = new Set(live.oauth2Credentials.map(clientName))
  const created = wanted.filter((one) => !known.has(clientName(one))).map((one) => creation(one, secrets))
  const names = new Set(wanted.map(clientName))
  const extra = live.oauth2Credentials.filter((one) => !names.has(clientName(one)))
  if (!prune)
    return { activities: created, kept: extra.map((one) => `OAuth 2.0 credential ${clientName(one)}`) }
  const deleted = extra.map((one) =>
    planned(
      "DELETE_OAUTH2_CREDENTIAL",
      Stage.remove,
      [
        change("delete", "OAuth 2.0 credential", clientName(one), {
          lost: ["its secret, and logins with this client"],
        }),
      ],
      { oauth2CredentialId: one.oauth2CredentialId },
    ),
  )
  return { activities: [...created, ...deleted] }
}

function creation({ provider, clientId }: FileOauth2Credential, secrets: Secrets): PlannedActivity {
  const name = clientName({ provider, clientId })
  const words = change("create", "OAuth 2.0 credential", name, { gained: ["logins with this client"] })
  const sealed = { encryptedClientSecret: { option: "client-secret" as const, name } }
  return plannedSealed("CREATE_OAUTH2_CREDENTIAL", words, { provider, clientId }, sealed, secrets)
}
