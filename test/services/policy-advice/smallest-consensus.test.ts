import t from "tap"
import { create } from "@bufbuild/protobuf"
import { OrganizationDocumentSchema } from "../../../proto/gen/countersign/state/v1/document_pb.ts"
import { CredentialType } from "../../../proto/gen/countersign/api/v1/enums_pb.ts"
import { compile } from "../../../signer/core/policy/expression.ts"
import { smallestConsensus } from "../../../services/policy-advice/smallest-consensus.ts"

/** Users whose first `admins` have the tag `admin`. */
function organization(users: number, admins = 0) {
  return create(OrganizationDocumentSchema, {
    users: Array.from({ length: users }, (_, index) => ({
      userId: `user-${index}`,
      name: `user ${index}`,
      email: `${index}@example.com`,
      tagIds: index < admins ? ["admin"] : [],
      apiKeys: [{ apiKeyId: `key-${index}`, publicKey: `02${index}`, type: CredentialType.API_KEY_P256 }],
    })),
  })
}

const search = (text: string, document: ReturnType<typeof organization>) => {
  const { sets, triedUpTo } = smallestConsensus(compile(text, "consensus"), document, Date.now())
  return { sets: sets.map((users) => users.map(({ name }) => name)), triedUpTo }
}

t.test("the smallest sets are found, and no larger ones", async (t) => {
  t.strictSame(search("approvers.any(u, u.tags.contains('admin'))", organization(4, 2)), {
    sets: [["user 0"], ["user 1"]],
    triedUpTo: 1,
  })
  t.strictSame(search("approvers.filter(u, u.tags.contains('admin')).count() >= 2", organization(4, 3)), {
    sets: [
      ["user 0", "user 1"],
      ["user 0", "user 2"],
      ["user 1", "user 2"],
    ],
    triedUpTo: 2,
  })
  t.strictSame(search("approvers.count() >= 3", organization(3)).sets, [["user 0", "user 1", "user 2"]])
})

t.test("a search that finds nothing says how many users it tried together", async (t) => {
  t.strictSame(search("approvers.count() >= 3", organization(2)), { sets: [], triedUpTo: 2 })
  t.strictSame(search("approvers.count() >= 5", organization(8)), { sets: [], triedUpTo: 4 })
  t.strictSame(search("approvers.count() >= 2", organization(0)), { sets: [], triedUpTo: 1 })
})

t.test("a search ends at its limit of steps, and says what it tried", async (t) => {
  const { sets, triedUpTo } = search("approvers.count() >= 4", organization(500))
  t.strictSame(sets, [])
  t.ok(triedUpTo >= 1 && triedUpTo < 4, String(triedUpTo))
})
