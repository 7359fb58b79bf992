import { onRampName } from "../../terminal-client/names/kinds.ts"
import { clientName, type FileOauth2Credential, type FileOnRampCredential } from "../file-access.ts"
import {
  type PlannedChange,
  change,
  differing,
  type NeededSecret,
  planned,
  type PlannedActivity,
  type Part,
  type PlanContext,
  type Secrets,
  Stage,
} from "./change.ts"
import { planSection } from "./section.ts"

// Credentials that providers issued. Their secrets are given to the command, and are compared with none.

const CLIENT = "OAuth 2.0 credential"

/** Clients at OAuth 2.0 providers, by provider and client id. */
export function planOauth2Credentials({ file, live, prune, secrets }: PlanContext): Part {
  return planSection(
    {
      kind: CLIENT,
      wanted: file.oauth2Credentials,
      there: live.oauth2Credentials,
      nameOf: clientName,
      create: (one) => createClient(one, secrets),
      effectOf: () => ({ lost: ["its secret, and logins with this client"] }),
      deletion: ["DELETE_OAUTH2_CREDENTIAL", "oauth2CredentialId"],
    },
    prune,
  )
}

function createClient({ provider, clientId }: FileOauth2Credential, secrets: Secrets): PlannedActivity {
  const name = clientName({ provider, clientId })
  const words = change("create", CLIENT, name, { gained: ["logins with this client"] })
  const sealed = { encryptedClientSecret: { option: "client-secret" as const, name } }
  return plannedSealed("CREATE_OAUTH2_CREDENTIAL", words, { provider, clientId }, sealed, secrets)
}

const ON_RAMP = "on-ramp credential"

/** Keys of on-ramp providers, by provider and mode. An update replaces all keys, so it needs the secret ones too. */
export function planOnRampCredentials({ file, live, prune, secrets }: PlanContext): Part {
  return planSection(
    {
      kind: ON_RAMP,
      wanted: file.fiatOnRampCredentials,
      there: live.fiatOnRampCredentials,
      nameOf: onRampName,
      create(wanted) {
        const gained = [`purchases with the publishable key ${wanted.publishableApiKey}`]
        const words = change("create", ON_RAMP, onRampName(wanted), { gained })
        const parameters = { ...keysOf(wanted), sandboxMode: wanted.sandboxMode }
        return plannedSealed("CREATE_FIAT_ON_RAMP_CREDENTIAL", words, parameters, sealedIn(wanted), secrets)
      },
      update(wanted, { fiatOnrampCredentialId, ...before }) {
        const members = differing({
          projectId: [before.projectId, wanted.projectId],
          publishableApiKey: [before.publishableApiKey, wanted.publishableApiKey],
        })
        if (members.length === 0) return { activities: [] }
        const lost = ["the keys before, which are replaced with the secret ones"]
        const words = change("update", ON_RAMP, onRampName(wanted), { members, lost })
        const parameters = { fiatOnrampCredentialId, ...keysOf(wanted) }
        const type = "UPDATE_FIAT_ON_RAMP_CREDENTIAL"
        return { activities: [plannedSealed(type, words, parameters, sealedIn(wanted), secrets)] }
      },
      effectOf: () => ({ lost: ["its keys, and purchases with them"] }),
      deletion: ["DELETE_FIAT_ON_RAMP_CREDENTIAL", "fiatOnrampCredentialId"],
    },
    prune,
  )
}

function keysOf({ onrampProvider, projectId, publishableApiKey }: FileOnRampCredential): object {
  return { onrampProvider, ...(projectId !== undefined && { projectId }), publishableApiKey }
}

/** Coinbase alone has a private key. */
function sealedIn(credential: FileOnRampCredential): { [member: string]: NeededSecret } {
  const name = onRampName(credential)
  return {
    encryptedSecretApiKey: { option: "on-ramp-secret", name },
    ...(credential.onrampProvider === "FIAT_ON_RAMP_PROVIDER_COINBASE" && {
      encryptedPrivateApiKey: { option: "on-ramp-private-key", name },
    }),
  }
}

/** `--client-secret x:app`: a secret among those that the command was given. */
export function secretKey({ option, name }: NeededSecret): string {
  return `--${option} ${name}`
}

/**
 * An activity whose members `sealed` are sealed secrets. Without them it has no parameters, and needs them.
 *
 * @param sealed member of the parameters, and its secret
 */
function plannedSealed(
  type: string,
  words: PlannedChange,
  parameters: object,
  sealed: { [member: string]: NeededSecret },
  secrets: Secrets,
): PlannedActivity {
  const members = Object.entries(sealed).map(([member, needed]) => ({
    member,
    needed,
    secret: secrets.get(secretKey(needed)),
  }))
  const lacking = members.filter(({ secret }) => secret === undefined).map(({ needed }) => needed)
  const needs = lacking.map((needed) => `the secret of ${needed.name}: ${secretKey(needed)}=FILE`)
  const texts = members.map(({ member, secret }) => [member, secret?.text] as const)
  const whole = { ...parameters, ...Object.fromEntries(texts) }
  return {
    ...planned(type, Stage.change, words, whole, needs),
    lacking,
    sealed: members.map(({ member, secret }) => ({ member, digest: secret?.digest ?? "" })),
  }
}
