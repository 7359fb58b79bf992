import type { FileMfaPolicy, FileUser } from "../file.ts"
import type { LiveMfaPolicy, LiveUser } from "../live.ts"
import { contract, expand, type Names, namesOfUser, readReference } from "../references.ts"
import {
  change,
  differing,
  planned,
  type PlannedActivity,
  type Part,
  type PlanContext,
  Resolver,
  Stage,
} from "./change.ts"
import { mergeParts, planSection } from "./section.ts"
import type { UserPair } from "./user-pair.ts"

/** MFA policies of users by name. */
export function planMfaPolicies(pairs: readonly UserPair[], { live, prune }: PlanContext): Part {
  return mergeParts(pairs.map(({ user, found }) => ofUser(user, found, namesOfUser(live, found), prune)))
}

const KIND = "MFA policy"

function ofUser(
  { userName, mfaPolicies }: FileUser,
  found: LiveUser | undefined,
  names: Names,
  prune: boolean,
): Part {
  const userId = found?.userId
  const at = { userName, userId, names }
  return planSection(
    {
      kind: KIND,
      wanted: mfaPolicies,
      there: found?.mfaPolicies ?? [],
      nameOf: ({ mfaPolicyName }) => mfaPolicyName,
      titleOf: ({ mfaPolicyName }) => `MFA policy ${mfaPolicyName} of user ${userName}`,
      create: (policy) => creation(policy, at),
      update: (policy, before) => ({ activities: update(policy, before, at) }),
      effectOf: () => ({ gained: [`user ${userName} acts without these further credentials`] }),
      remove: ({ mfaPolicyId }, words) =>
        planned("DELETE_MFA_POLICY", Stage.remove, words, { userId, mfaPolicyId }),
    },
    prune,
  )
}

type At = { userName: string; userId: string | undefined; names: Names }

function creation(policy: FileMfaPolicy, { userName, userId, names }: At): PlannedActivity {
  const { condition, requiredAuthenticationMethods, missing } = resolved(policy, names)
  const { mfaPolicyName, order: rank, notes } = policy
  const words = change("create", KIND, mfaPolicyName, {
    lost: [`user ${userName} acts with a stamp alone where this holds: ${policy.condition}`],
  })
  const needs = userId === undefined ? [`@user:${userName}`, ...missing] : missing
  const parameters = { userId, mfaPolicyName, condition, requiredAuthenticationMethods, order: rank, notes }
  return planned("CREATE_MFA_POLICY", Stage.change, words, parameters, needs)
}

function update(policy: FileMfaPolicy, before: LiveMfaPolicy, { userId, names }: At): PlannedActivity[] {
  const after = resolved(policy, names)
  const members = differing({
    condition: [contract(before.condition, names), contract(after.condition, names)],
    requiredAuthenticationMethods: [
      before.requiredAuthenticationMethods,
      after.requiredAuthenticationMethods,
    ],
    order: [before.order, policy.order],
    notes: [before.notes, policy.notes],
  })
  if (members.length === 0 && after.missing.length === 0) return []
  const words = change("update", KIND, policy.mfaPolicyName, { members })
  const parameters = {
    userId,
    mfaPolicyId: before.mfaPolicyId,
    condition: after.condition,
    requiredAuthenticationMethods: after.requiredAuthenticationMethods,
    order: policy.order,
    notes: policy.notes,
  }
  return [planned("UPDATE_MFA_POLICY", Stage.change, words, parameters, after.missing)]
}

function resolved({ condition, requiredAuthenticationMethods }: FileMfaPolicy, names: Names) {
  const resolver = new Resolver(names)
  const { text, missing } = expand(condition, resolver.id)
  const steps = requiredAuthenticationMethods.map(({ any }) => ({
    any: any.map(({ type, id }) => {
      const reference = id === undefined ? undefined : readReference(id)
      const resolvedId = reference === undefined ? id : resolver.id(reference.kind, reference.name)
      return { type, ...(resolvedId !== undefined && { id: resolvedId }) }
    }),
  }))
  return {
    condition: text,
    requiredAuthenticationMethods: steps,
    missing: [...new Set([...missing, ...resolver.missing])],
  }
}
