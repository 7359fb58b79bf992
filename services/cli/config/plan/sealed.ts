import {
  type Change,
  type NeededSecret,
  planned,
  type PlannedActivity,
  type Secrets,
  Stage,
} from "./change.ts"

/** `--client-secret x:app`: a secret among those that the command was given. */
export function secretKey({ option, name }: NeededSecret): string {
  return `--${option} ${name}`
}

/**
 * An activity whose members `sealed` are sealed secrets. Without them it has no parameters, and needs them.
 *
 * @param sealed member of the parameters, and its secret
 */
export function plannedSealed(
  type: string,
  words: Change,
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
  const texts = members.map(({ member, secret }) => [member, secret?.text] as const)
  const whole = { ...parameters, ...Object.fromEntries(texts) }
  return {
    ...planned(type, Stage.change, [words], whole, lacking.map(needText)),
    lacking,
    sealed: members.map(({ member, secret }) => ({ member, digest: secret?.digest ?? "" })),
  }
}

function needText(needed: NeededSecret): string {
  return `the secret of ${needed.name}: ${secretKey(needed)}=FILE`
}
