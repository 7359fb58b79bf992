import { onRampName } from "../../names/kinds.ts"
import type { FileOnRampCredential } from "../file-access.ts"
import type { LiveOnRampCredential } from "../live.ts"
import {
  change,
  differing,
  planned,
  type PlannedActivity,
  type Part,
  type PlanContext,
  Stage,
} from "./change.ts"
import { plannedSealed } from "./sealed.ts"

const COINBASE = "FIAT_ON_RAMP_PROVIDER_COINBASE"

/** Keys of on-ramp providers, by provider and mode. Their secret keys are given to the command, and are compared with none. */
export function planOnRampCredentials(context: PlanContext): Part {
  const { file, live, prune } = context
  const { fiatOnRampCredentials: wanted } = file
  if (wanted === undefined) return { activities: [] }
  const activities = wanted.flatMap((credential) => {
    const name = onRampName(credential)
    const before = live.fiatOnRampCredentials.find((one) => onRampName(one) === name)
    return before === undefined ? [creation(credential, context)] : update(credential, before, context)
  })
  const names = new Set(wanted.map(onRampName))
  const extra = live.fiatOnRampCredentials.filter((one) => !names.has(onRampName(one)))
  if (!prune) return { activities, kept: extra.map((one) => `on-ramp credential ${onRampName(one)}`) }
  return { activities: [...activities, ...extra.map(deletion)] }
}

function creation(credential: FileOnRampCredential, { secrets }: PlanContext): PlannedActivity {
  const name = onRampName(credential)
  const gained = [`purchases with the publishable key ${credential.publishableApiKey}`]
  const words = change("create", "on-ramp credential", name, { gained })
  const parameters = { ...keysOf(credential), sandboxMode: credential.sandboxMode }
  return plannedSealed(
    "CREATE_FIAT_ON_RAMP_CREDENTIAL",
    words,
    parameters,
    sealedMembers(credential, name),
    secrets,
  )
}

/** An update replaces all keys, so it needs the secret ones too. */
function update(
  credential: FileOnRampCredential,
  before: LiveOnRampCredential,
  { secrets }: PlanContext,
): PlannedActivity[] {
  const members = differing({
    projectId: [before.projectId, credential.projectId],
    publishableApiKey: [before.publishableApiKey, credential.publishableApiKey],
  })
  if (members.length === 0) return []
  const name = onRampName(credential)
  const lost = ["the keys before, which are replaced with the secret ones"]
  const words = change("update", "on-ramp credential", name, { members, lost })
  const parameters = { fiatOnrampCredentialId: before.fiatOnrampCredentialId, ...keysOf(credential) }
  return [
    plannedSealed(
      "UPDATE_FIAT_ON_RAMP_CREDENTIAL",
      words,
      parameters,
      sealedMembers(credential, name),
      secrets,
    ),
  ]
}

function deletion(credential: LiveOnRampCredential): PlannedActivity {
  const lost = ["its keys, and purchases with them"]
  const words = change("delete", "on-ramp credential", onRampName(credential), { lost })
  const { fiatOnrampCredentialId } = credential
  return planned("DELETE_FIAT_ON_RAMP_CREDENTIAL", Stage.remove, [words], { fiatOnrampCredentialId })
}

function keysOf({ onrampProvider, projectId, publishableApiKey }: FileOnRampCredential): object {
  return { onrampProvider, ...(projectId !== undefined && { projectId }), publishableApiKey }
}

/** Coinbase alone has a private key. */
function sealedMembers({ onrampProvider }: FileOnRampCredential, name: string) {
  return {
    encryptedSecretApiKey: { option: "on-ramp-secret" as const, name },
    ...(onrampProvider === COINBASE && {
      encryptedPrivateApiKey: { option: "on-ramp-private-key" as const, name },
    }),
  }
}
