import type { OrganizationDocument } from "../../proto/gen/countersign/state/v1/document_pb.ts"
import type { Organization } from "./oracle.ts"
import { textOf, type User } from "./rules.ts"

/** Users of a document, in the oracle's words. */
export function usersOf({ users }: OrganizationDocument): User[] {
  return users.map(({ userId, apiKeys }): User => {
    const keys = apiKeys.map(({ apiKeyId, publicKey, createdAtMs }) => ({
      keyId: apiKeyId,
      publicKey,
      createdAtMs: Number(createdAtMs),
    }))
    return { userId, keys, sessions: [] }
  })
}

/** The document has the users, keys, quorum and policies that the oracle expects. @throws Error */
export function requireDocument(document: OrganizationDocument, expected: Organization): void {
  const { organizationId, users, quorum, policies } = expected
  const stored = {
    users: usersOf(document),
    quorum: { threshold: document.rootQuorum?.threshold, userIds: document.rootQuorum?.userIds },
    policies: document.policies.map(({ policyId, condition, consensus }) => ({
      policyId,
      condition,
      consensus,
    })),
  }
  const wanted = {
    users: users.map(({ userId, keys }) => ({ userId, keys, sessions: [] })),
    quorum,
    policies: policies.map(({ policyId, condition, consensus }) => ({
      policyId,
      condition: textOf.condition(condition),
      consensus: textOf.consensus(consensus),
    })),
  }
  const [found, right] = [stored, wanted].map((value) => JSON.stringify(value, sortedUsers))
  if (found !== right) throw new Error(`the document of ${organizationId} is ${found}, not ${right}`)
}

function sortedUsers(name: string, value: unknown): unknown {
  return name === "userIds" && Array.isArray(value) ? value.toSorted(compareTexts) : value
}

const compareTexts = (one: string, other: string): number => (one < other ? -1 : 1)
