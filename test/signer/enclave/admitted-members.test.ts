// The operator's setting of members to admit: what it takes, and what it refuses at the start.
import t from "tap"
import { faultsOf } from "../../../signer/core/settings/settings.ts"
import { readAdmittedMembers } from "../../../signer/enclave/admitted-members.ts"
import { readConfig } from "../../../signer/enclave/config.ts"

const environment = (text: string) => ({ COUNTERSIGN_SIGNER_ADMITTED_MEMBERS: text })

t.test("members are admitted by activity type and path", async (t) => {
  const [one, other] = [
    "ACTIVITY_TYPE_CREATE_POLICY_V3.parameters.remark",
    "ACTIVITY_TYPE_CREATE_USERS_V4.traceLabelOfClient",
  ]
  const nested = "ACTIVITY_TYPE_CREATE_USERS_V4.parameters.users.apiKeys.hardwareSerial"
  const { admittedMembers } = readConfig(environment(` ${one}, ${other},${nested},`), readAdmittedMembers)
  t.same([...admittedMembers], [one, other, nested])
  t.same([...readConfig({}).admittedMembers], [])
  const known = "ACTIVITY_TYPE_CREATE_POLICY_V3.parameters.policyName"
  t.equal(
    readConfig(environment(known), readAdmittedMembers).admittedMembers.size,
    1,
    "a later release may know the member",
  )
})

t.test("no decoy and no misspelling can be admitted", async (t) => {
  const type = "ACTIVITY_TYPE_SIGN_TRANSACTION_V2"
  for (const [text, fault] of [
    ["remark", /write each member as ACTIVITY_TYPE_NAME\.path/],
    [`${type}.`, /write each member as/],
    [`${type}.parameters.a-b`, /write each member as/],
    ["ACTIVITY_TYPE_SIGN_MONEY.parameters.remark", /ACTIVITY_TYPE_SIGN_MONEY has no object at parameters/],
    [`${type}.parameters.signWith.remark`, /has no object at parameters\.signWith/],
    [`${type}.result.remark`, /has no object at result/],
    [`${type}.parameters.payload`, /cannot be admitted: another member of requests has this name/],
    [
      `${type}.parameters.unsigned_transactions`,
      /cannot be admitted: .* did you mean `unsigned_transaction`/,
    ],
    [`${type}.sign_with`, /cannot be admitted/],
    [`${type}.parameters.organizationId`, /cannot be admitted/],
    [`${type}.parameters.externalSignerPubkey`, /cannot be admitted: .* is not implemented/],
  ] as const) {
    const [found = ""] = faultsOf(() => readConfig(environment(text), readAdmittedMembers))
    t.match(found, /^COUNTERSIGN_SIGNER_ADMITTED_MEMBERS: /, text)
    t.match(found, fault)
  }
})
