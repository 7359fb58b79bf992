import { keyCredential, passkeyCredential } from "../policy/credentials.ts"
import { policiesOf } from "../policy/compiled.ts"
import type { Environment } from "../policy/expression.ts"
import { factsOf } from "../policy/facts/index.ts"
import type { Parameters } from "../policy/facts/activity.ts"
import type { Approval, Question } from "../policy/question.ts"
import type { ExecutionDeps } from "./deps.ts"
import type { CredentialHolder } from "./holder.ts"
import { holdingsOf } from "./holdings.ts"

/** No policy reads anything. */
const NO_FACTS: readonly Environment[] = [() => undefined]

/**
 * What is decided, with all that policies read of it, gathered here or refused here. Where the organization has no
 * policies nothing is gathered.
 *
 * @throws PAYLOAD_INVALID, SIGN_WITH_UNKNOWN, RESOURCE_UNKNOWN, RECORD_DELETED: what is wrong with the activity anyway
 */
export function makeQuestion(matter: Omit<Question, "facts">, deps: ExecutionDeps): Question {
  const { activity, organization } = matter
  const { roots } = policiesOf(organization)
  if (roots.size === 0) return { ...matter, facts: NO_FACTS }
  const parameters = matter.parameters as Parameters
  const holdings = () => holdingsOf(activity, parameters, organization, deps)
  return { ...matter, facts: factsOf({ activity, parameters, holdings }, roots) }
}

/** The approval that a holder gives by stamping. */
export function approvalOf(holder: CredentialHolder): Approval {
  const { user } = holder
  if ("authenticator" in holder) return { user, credential: passkeyCredential(holder.authenticator) }
  const { apiKey } = holder
  const id = "apiKeyId" in apiKey ? apiKey.apiKeyId : apiKey.id
  return { user, credential: keyCredential({ id, type: apiKey.type, publicKey: apiKey.publicKey }) }
}
