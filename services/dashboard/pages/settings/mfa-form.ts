// The form of an MFA policy, for a new one and for a change.
import type { MfaPolicy, User } from "../../api/people.ts"
import { openChange } from "../../ui/change.tsx"
import { type FormField, manyOf, numberOf, textOf, textsOf, type FormValues } from "../../ui/fields.tsx"
import { methodLabels, methodOf, methodOptions, valueOf } from "./mfa-methods.ts"
import type { Profile } from "./session-profiles.tsx"

/** Number of steps in the form, unless the policy has more. */
const MIN_STEPS = 3

const ORDINALS = ["First", "Second", "Third"]

const NEW: Omit<MfaPolicy, "mfaPolicyId"> = {
  mfaPolicyName: "",
  condition: "true",
  requiredAuthenticationMethods: [
    { any: [{ type: "AUTHENTICATION_TYPE_API_KEY" }, { type: "AUTHENTICATION_TYPE_SESSION" }] },
    { any: [{ type: "AUTHENTICATION_TYPE_PASSKEY" }] },
  ],
  order: 0,
}

export function createMfaPolicy(user: User, profiles: readonly Profile[]): void {
  openChange({
    title: `Create MFA policy of ${user.userName}`,
    verb: "Create MFA policy",
    type: "ACTIVITY_TYPE_CREATE_MFA_POLICY",
    fields: fieldsFor(user, NEW, profiles),
    parameters: (values) => ({
      userId: user.userId,
      ...textsOf(values, "mfaPolicyName", "condition", "notes"),
      requiredAuthenticationMethods: stepsOf(values, MIN_STEPS),
      order: numberOf(values, "order"),
    }),
  })
}

export function changeMfaPolicy(user: User, policy: MfaPolicy, profiles: readonly Profile[]): void {
  const { mfaPolicyId, mfaPolicyName, notes = "" } = policy
  openChange({
    title: `Change MFA policy ${mfaPolicyName}`,
    verb: "Change MFA policy",
    type: "ACTIVITY_TYPE_UPDATE_MFA_POLICY",
    sentence: `Change MFA policy “${mfaPolicyName}” of ${user.userName}`,
    fields: fieldsFor(user, policy, profiles),
    parameters: (values) => ({
      userId: user.userId,
      mfaPolicyId,
      mfaPolicyName: textOf(values, "mfaPolicyName"),
      condition: textOf(values, "condition"),
      requiredAuthenticationMethods: stepsOf(values, stepNumber(policy)),
      order: numberOf(values, "order"),
      ...(textOf(values, "notes") !== notes && { notes: textOf(values, "notes") }),
    }),
  })
}

const stepNumber = ({
  requiredAuthenticationMethods: steps,
}: Pick<MfaPolicy, "requiredAuthenticationMethods">) => Math.max(MIN_STEPS, steps.length)

/** Steps without a method are none. */
const stepsOf = (values: FormValues, number: number) =>
  Array.from({ length: number }, (_, index) => ({
    any: manyOf(values, `step${index}`).map(methodOf),
  })).filter(({ any }) => any.length > 0)

function fieldsFor(
  user: User,
  policy: Omit<MfaPolicy, "mfaPolicyId">,
  profiles: readonly Profile[],
): FormField[] {
  const { mfaPolicyName, condition, requiredAuthenticationMethods: steps, order = 0, notes = "" } = policy
  const label = methodLabels(user, profiles)
  const offered = methodOptions(user, profiles)
  const kept = steps
    .flatMap(({ any }) => any)
    .filter((one) => !offered.some(({ value }) => value === valueOf(one)))
  const options = [...offered, ...kept.map((one) => ({ value: valueOf(one), label: label(one) }))]
  return [
    { name: "mfaPolicyName", label: "Name", initial: mfaPolicyName },
    {
      name: "condition",
      label: "Condition: which requests",
      kind: "area",
      code: true,
      initial: condition,
      hint: "An expression of the policy language, such as activity.action == 'EXPORT'.",
    },
    ...Array.from({ length: stepNumber(policy) }, (_, index): FormField => {
      const name = ORDINALS[index] ?? `${index + 1}th`
      return {
        name: `step${index}`,
        label: `${name} factor, any of`,
        kind: "many",
        path: `requiredAuthenticationMethods${index === 0 ? "" : `[${index}]`}`,
        options,
        initial: (steps[index]?.any ?? []).map(valueOf),
      }
    }),
    {
      name: "order",
      label: "Rank",
      kind: "number",
      initial: String(order),
      hint: "The lowest that applies is enforced.",
    },
    { name: "notes", label: "Notes for people (optional)", initial: notes },
  ]
}
