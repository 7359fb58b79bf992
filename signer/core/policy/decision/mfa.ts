import {
  AuthenticationType,
  CredentialType,
  CredentialTypeSchema,
  OtpType,
} from "../../../../proto/gen/countersign/api/v1/enums_pb.ts"
import type { MfaMethod, MfaPolicy, User } from "../../../../proto/gen/countersign/state/v1/document_pb.ts"
import type { RequestFacts } from "../facts/request-facts.ts"
import { runAtOnce } from "../../turns/steps.ts"
import { NIL_UUID } from "../../uuid.ts"
import { contactsOf } from "../../otp/user-contact.ts"
import {
  channelOf,
  contactCredential,
  credentialOrigin,
  identityCredential,
  keyCredential,
  passkeyCredential,
} from "./credentials.ts"
import type { Credential } from "./decision-input.ts"
import { compileExpression, rootsOf } from "./policy-set.ts"

/** A user's progress with an MFA policy for one request. */
export type MfaProgress = {
  readonly userId: string
  readonly policy: MfaPolicy
  /** Methods of the policy that the user has used. */
  readonly usedMethods: readonly UsedMethod[]
  readonly metSteps: number
  /** True if all steps are met. */
  readonly isMet: boolean
}

/** An authentication method as a credential uses it. */
export type UsedMethod = Pick<MfaMethod, "type" | "id">

/** Method id of a session without a profile. */
export const PLAIN_SESSION = NIL_UUID

/** Evaluates the conditions of all these users' MFA policies in fair shares: those of one user cost no other any steps. */
export function evaluateMfaConditions(users: readonly User[], { mfa }: RequestFacts): void {
  const policies = users.flatMap(({ mfaPolicies }) => mfaPolicies)
  const conditions = policies.map(({ condition }) => compileExpression(condition, "condition"))
  const compiled = conditions.filter((condition) => typeof condition !== "string")
  if (compiled.length > 0) runAtOnce(mfa.evaluateAll(compiled))
}

/** The user's MFA policy for a request: the lowest in order whose condition holds. Only this one is enforced. */
export function matchingMfaPolicy(user: User, facts: RequestFacts): MfaPolicy | undefined {
  if (user.mfaPolicies.length === 0) return undefined
  evaluateMfaConditions([user], facts)
  return user.mfaPolicies.toSorted((a, b) => a.order - b.order).find((policy) => isMatching(policy, facts))
}

/** @param credentials that stamped the user's approval */
export function mfaProgress(
  { userId }: User,
  policy: MfaPolicy,
  credentials: readonly Credential[],
): MfaProgress {
  const originsFor = ({ any }: MfaPolicy["steps"][number]) =>
    credentials.filter((credential) => isOneOf(methodOf(credential), any)).map(credentialOrigin)
  const metSteps = countMetSteps(policy.steps.map(originsFor))
  const methods = policy.steps.flatMap(({ any }) => any)
  return {
    userId,
    policy,
    usedMethods: credentials.map(methodOf).filter((method) => isOneOf(method, methods)),
    metSteps,
    isMet: metSteps === policy.steps.length,
  }
}

/**
 * Number of a policy's steps that the user's credentials and contacts can meet together. Each of them opens sessions,
 * and a session is a factor of its own beside a passkey that opened it.
 */
export function reachableSteps(user: User, steps: MfaPolicy["steps"], nowMs: number): number {
  const keys = user.apiKeys
    .filter(({ expiresAtMs }) => expiresAtMs === 0n || expiresAtMs > BigInt(nowMs))
    .map((key) => keyCredential({ ...key, id: key.apiKeyId }))
  const passkeys = user.authenticators.map(passkeyCredential)
  const identities = [
    ...user.oauthProviders.map(identityCredential),
    ...contactsOf(user).map(({ channel }) => contactCredential(user, channel)),
  ]
  return countMetSteps(
    steps.map(({ any }, step) => {
      const isSession = any.some(({ type }) => type === AuthenticationType.SESSION)
      const meeting = [...keys, ...passkeys, ...identities].filter((credential) =>
        isOneOf(methodOf(credential), any),
      )
      const origins = [...meeting, ...(isSession ? [...keys, ...identities] : [])].map(credentialOrigin)
      return isSession && passkeys.length > 0 ? [...origins, `session of step ${step}`] : origins
    }),
  )
}

/** Roots that the conditions of a user's MFA policies read. */
export function mfaRootsOf({ mfaPolicies }: User): string[] {
  return mfaPolicies.flatMap(({ condition }) => rootsOf(compileExpression(condition, "condition")))
}

/**
 * A condition in error does not match, as published: it is about other activities. A condition that cost too much
 * matches, since the request could have caused the cost; so does one that this release cannot compile.
 */
function isMatching({ condition: text }: MfaPolicy, facts: RequestFacts): boolean {
  const condition = compileExpression(text, "condition")
  if (typeof condition === "string") return true
  return facts.items.some((_, item) => {
    const evaluation = facts.mfa.evaluate(condition, item)
    return "value" in evaluation ? evaluation.value : evaluation.fault.reason === "budget"
  })
}

const OAUTH = CredentialTypeSchema.value[CredentialType.OAUTH_KEY_P256]?.name

function methodOf(credential: Credential): UsedMethod {
  const { id, type, isSession, profileId, credentialId } = credential
  const channel = channelOf(credential)
  if (channel === OtpType.EMAIL) return { type: AuthenticationType.EMAIL_OTP, id: "" }
  if (channel === OtpType.SMS) return { type: AuthenticationType.SMS_OTP, id: "" }
  if (isSession) return { type: AuthenticationType.SESSION, id: profileId === "" ? PLAIN_SESSION : profileId }
  if (type === OAUTH) return { type: AuthenticationType.OAUTH, id }
  return { type: credentialId === "" ? AuthenticationType.API_KEY : AuthenticationType.PASSKEY, id }
}

function isOneOf(used: UsedMethod, methods: readonly UsedMethod[]): boolean {
  return methods.some(({ type, id }) => type === used.type && (id === "" || id === used.id))
}

/**
 * Steps that can each have an origin of their own: a maximum bipartite matching by augmenting paths. Steps and origins
 * are few.
 * @param steps for each step the origins of the credentials that meet it
 */
function countMetSteps(steps: readonly (readonly string[])[]): number {
  const stepByOrigin = new Map<string, number>()
  const assign = (step: number, tried: Set<string>): boolean =>
    (steps[step] ?? []).some((origin) => {
      if (tried.has(origin)) return false
      tried.add(origin)
      const assigned = stepByOrigin.get(origin)
      if (assigned !== undefined && !assign(assigned, tried)) return false
      stepByOrigin.set(origin, step)
      return true
    })
  return steps.filter((_, step) => assign(step, new Set())).length
}
