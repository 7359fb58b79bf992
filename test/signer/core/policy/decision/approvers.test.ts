import t from "tap"
import { Budget, compile, evaluate } from "../../../../../signer/core/policy/expression.ts"
import { approvalFacts } from "../../../../../signer/core/policy/facts/approvals.ts"
import { organizationWith, voteOf } from "./fixture.ts"

function consensus(text: string, ...voters: string[]) {
  const organization = organizationWith()
  const votes = voters.map((name) => voteOf(organization, name)!)
  const answer = evaluate(compile(text, "consensus"), approvalFacts(votes), new Budget())
  return "value" in answer ? answer.value : answer.fault.reason
}

t.test("an approver shows id, tags, e-mail and name", async (t) => {
  t.equal(consensus("approvers[0].id == 'dan' && approvers[0].alias == 'dan'", "dan"), true)
  t.equal(consensus("approvers[0].email == 'dan@example.com'", "dan"), true)
  t.equal(consensus("approvers[0].tags.contains('agent') && approvers[0].tags.count() == 1", "dan"), true)
  t.equal(consensus("approvers.count() == 2 && approvers[1].id == 'eva'", "dan", "eva"), true)
})

t.test("a credential shows id, owner, type and key, a passkey its credential id", async (t) => {
  const key = "credentials[0].id == 'dan-key' && credentials[0].type == 'CREDENTIAL_TYPE_API_KEY_P256'"
  t.equal(
    consensus(`${key} && credentials[0].public_key == '02dan' && credentials[0].user_id == 'dan'`, "dan"),
    true,
  )
  t.equal(consensus("credentials[0].credential_id == ''", "dan"), true)
  const passkey = "credentials[0].type == 'CREDENTIAL_TYPE_WEBAUTHN_AUTHENTICATOR'"
  const id = Buffer.from("eva").toString("base64url")
  t.equal(consensus(`${passkey} && credentials[0].credential_id == '${id}'`, "eva:AUTHENTICATOR"), true)
})
