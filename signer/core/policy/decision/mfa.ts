import { AuthenticationType } from "../../../../proto/gen/countersign/api/v1/enums_pb.ts"
import type { MfaMethod, MfaPolicy, User } from "../../../../proto/gen/countersign/state/v1/document_pb.ts"
import { type CompiledExpression, compileExpression } from "./compiled.ts"
import { sourceOf } from "./credentials.ts"
import { Budget, type Environment, evaluate } from "../expression.ts"
import type { Credential } from "./decision-input.ts"

/** How far a user is with what he must prove for one request. */
export type MfaStanding = {
  readonly userId: string
  readonly policy: MfaPolicy
  /** What he has shown of it. */
  readonly shown: readonly Method[]
  /** How many steps are met, and whether that is all. */
  readonly metSteps: number
  readonly isMet: boolean
}

/** A way of proving who one is, as one credential shows it. */
export type Method = Pick<MfaMethod, "type" | "id">

/** Of a session without a profile. */
const PLAIN_SESSION = "00000000-0000-0000-0000-000000000000"

/**
 * The MFA policy that is about a request: of those of a user whose condition holds the lowest in order, which is the only
 * one. Undefined: none is.
 */
export function mfaPolicyAbout({ mfaPolicies }: User, facts: readonly Environment[]): MfaPolicy | undefined {
  if (mfaPolicies.length === 0) return undefined
  return mfaPolicies.toSorted((a, b) => a.order - b.order).find((policy) => isAbout(policy, facts))
}

/**
 * How far a user is with an MFA policy.
 *
 * @param credentials by which he has stamped his approval
 */
export function mfaStanding(
  { userId }: User,
  policy: MfaPolicy,
  credentials: readonly Credential[],
): MfaStanding {
  const meeting = ({ any }: MfaPolicy["steps"][number]) =>
    credentials.filter((credential) => isOneOf(methodOf(credential), any)).map(sourceOf)
  const metSteps = countMet(policy.steps.map(meeting))
  const methods = policy.steps.flatMap(({ any }) => any)
  return {
    userId,
    policy,
    shown: credentials.map(methodOf).filter((method) => isOneOf(method, methods)),
    metSteps,
    isMet: metSteps === policy.steps.length,
  }
}

/** Roots that the MFA policies of a user read. */
export function mfaRootsOf({ mfaPolicies }: User): string[] {
  return mfaPolicies.flatMap((policy) => {
    const condition = conditionOf(policy)
    return typeof condition === "string" ? [] : [...condition.roots]
  })
}

function conditionOf({ condition }: MfaPolicy): CompiledExpression {
  return compileExpression(condition, "condition")
}

/**
 * A condition that cannot be evaluated is passed over, as published: it speaks of other activities. Not so where it cost
 * too much, which the request could bring about, nor where this release cannot read it.
 */
function isAbout(policy: MfaPolicy, facts: readonly Environment[]): boolean {
  const condition = conditionOf(policy)
  if (typeof condition === "string") return true
  const budget = new Budget()
  return facts.some((part) => {
    const answer = evaluate(condition, part, budget)
    return "value" in answer ? answer.value : answer.fault.reason === "budget"
  })
}

function methodOf({ id, isSession, profileId, credentialId }: Credential): Method {
  if (isSession) return { type: AuthenticationType.SESSION, id: profileId === "" ? PLAIN_SESSION : profileId }
  return { type: credentialId === "" ? AuthenticationType.API_KEY : AuthenticationType.PASSKEY, id }
}

function isOneOf(shown: Method, methods: readonly Method[]): boolean {
  return methods.some(({ type, id }) => type === shown.type && (id === "" || id === shown.id))
}

/**
 * How many steps can each have a source that no other step has. Steps and sources are few: a search that takes back what
 * stands in the way (augmenting paths) settles it.
 *
 * @param steps for each the sources of the credentials that meet it
 */
function countMet(steps: readonly (readonly string[])[]): number {
  const stepOf = new Map<string, number>()
  const settle = (step: number, tried: Set<string>): boolean =>
    (steps[step] ?? []).some((source) => {
      if (tried.has(source)) return false
      tried.add(source)
      const holder = stepOf.get(source)
      if (holder !== undefined && !settle(holder, tried)) return false
      stepOf.set(source, step)
      return true
    })
  return steps.filter((_, step) => settle(step, new Set())).length
}
