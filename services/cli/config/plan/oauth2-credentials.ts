import { clientName, type FileOauth2Credential } from "../file-access.ts"
import { change, planned, type PlannedActivity, type Part, type PlanContext, Stage } from "./change.ts"

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

function creation(credential: FileOauth2Credential, secrets: PlanContext["secrets"]): PlannedActivity {
  const { provider, clientId } = credential
  const name = clientName(credential)
  const words = change("create", "OAuth 2.0 credential", name, { gained: ["logins with this client"] })
  const secret = secrets.get(name)
  if (secret === undefined)
    return planned("CREATE_OAUTH2_CREDENTIAL", Stage.change, [words], undefined, [secretNeed(name)])
  const shown = { provider, clientId }
  const parameters = { ...shown, encryptedClientSecret: secret.text }
  const made = planned("CREATE_OAUTH2_CREDENTIAL", Stage.change, [words], parameters)
  return { ...made, sealed: { member: "encryptedClientSecret", digest: secret.digest } }
}

/** A secret that the command was not given, as a thing that an activity needs. */
function secretNeed(name: string): string {
  return `the secret of ${name}: --client-secret ${name}=FILE`
}
