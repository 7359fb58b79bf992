import t from "tap"
import { TagType } from "../../../proto/gen/countersign/api/v1/enums_pb.ts"
import { knownNamesOf } from "../../../services/policy-advice/known.ts"
import { lint } from "../../../services/policy-advice/lint.ts"
import { compile, type Field } from "../../../signer/core/policy/expression.ts"
import { draftOf } from "../../signer/enclave/organization/drafts.ts"

const document = draftOf({
  users: [{ userId: "u-1", name: "alice" }],
  sessionProfiles: [{ sessionProfileId: "s-1", name: "Shop" }],
  tags: [
    { tagId: "t-1", name: "staff", type: TagType.USER },
    { tagId: "t-2", name: "cold", type: TagType.PRIVATE_KEY },
  ],
}).document

function sentences(text: string, field: Field = "condition"): string[] {
  return lint(compile(text, field), knownNamesOf("allow", document, 0)).map(({ sentence }) => sentence)
}

t.test("existing ids and words of the interface give no warning", async (t) => {
  const consensus = "approvers.any(user, user.id == 'u-1' || 't-1' in user.tags)"
  t.same(sentences(consensus, "consensus"), [])
  const words = "activity.kind == 'STAMP_LOGIN' && activity.resource == 'AUTH' && activity.action == 'CREATE'"
  t.same(sentences(words), [])
  t.same(sentences("activity.type == 'ACTIVITY_TYPE_CREATE_POLICY_V3'"), [])
  t.same(
    sentences("wallet.id == 'somewhere else'").filter((sentence) => /never equal/.test(sentence)),
    [],
  )
})

t.test("names in place of ids, unknown ids and unknown words give a warning", async (t) => {
  t.match(sentences("approvers.any(user, user.id == 'alice')", "consensus"), [
    /name of user u-1: write the id/,
  ])
  t.match(sentences("approvers.any(user, 'staff' in user.tags)", "consensus"), [/name of tag t-1/])
  t.match(sentences("approvers.any(user, 'cold' in user.tags)", "consensus"), [
    /there is no user tag id cold/,
  ])
  t.match(sentences("approvers.any(user, user.id == 'bob')", "consensus"), [/there is no user id bob/])
  const profile = (text: string) => sentences(`activity.params.session_profile_id == '${text}'`)
  t.match(profile("Shop"), [/name of session profile s-1: write the id/])
  t.match(profile("s-2"), [/there is no session profile id s-2/])
  t.same([...profile("s-1"), ...profile("")], [], "a profile's id, and none")
  t.match(sentences("activity.type == 'ACTIVITY_TYPE_SIGN_EVERYTHING'"), [/no activity type/])
  t.match(sentences("activity.kind == 'CREATE_POLICY_V3'"), [/no activity kind/])
})
