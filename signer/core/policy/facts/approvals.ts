import type { User } from "../../../../proto/gen/countersign/state/v1/document_pb.ts"
import type { Approval, Credential } from "../decision/decision-input.ts"
import { type Members, members, type RootReader } from "../expression.ts"

/** The root of the time field: one instant for the whole request. */
export function timeFacts(nowMs: number): RootReader {
  const now = BigInt(nowMs)
  return (root) => (root === "time.now" ? now : undefined)
}

/** The roots `approvers` and `credentials`: users who approved and the credentials that stamped, in the same order. */
export function approvalFacts(approvals: readonly Approval[]): RootReader {
  return (root) => {
    if (root === "approvers") return approvals.map(({ user }) => userValue(user))
    if (root === "credentials") {
      return approvals.flatMap(({ user, credentials }) =>
        credentials.map((one) => credentialValue(user, one)),
      )
    }
    return undefined
  }
}

/** Values by user. A user changes only with the organization's version. */
const users = new WeakMap<User, Members>()

function userValue(user: User): Members {
  const known = users.get(user)
  if (known !== undefined) return known
  const value = members({ id: user.userId, tags: user.tagIds, email: user.email, alias: user.name })
  users.set(user, value)
  return value
}

/** Values by credential. A credential belongs to one user. */
const credentials = new WeakMap<Credential, Members>()

function credentialValue({ userId }: User, credential: Credential): Members {
  const known = credentials.get(credential)
  if (known !== undefined) return known
  const { id, type, credentialId, publicKey } = credential
  const value = members({ id, user_id: userId, type, credential_id: credentialId, public_key: publicKey })
  credentials.set(credential, value)
  return value
}
