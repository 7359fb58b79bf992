// Login methods: credentials, and contacts of users of a sub-organization by the channels that are on.
import t from "tap"
import { FeatureName } from "../../../../proto/gen/countersign/api/v1/enums_pb.ts"
import { removeApiKeys } from "../../../../signer/enclave/organization/credentials.ts"
import { isReachable, hasLastingLoginMethod } from "../../../../signer/enclave/organization/login-methods.ts"
import {
  isQuorumReachable,
  setRootQuorum,
} from "../../../../signer/enclave/modules/organization/root-quorum.ts"
import { requireUser, setEmail, setPhoneNumber } from "../../../../signer/enclave/organization/users.ts"
import { draftOf, refusal } from "./drafts.ts"

const MAIL = { email: "ann@example.com" }
const NUMBER = { phoneNumber: "+15551234567" }
const FIELDS = { threshold: "threshold", userIds: "userIds" }

function draft(ann: object, features: FeatureName[], others: { parentId?: string; users?: object[] } = {}) {
  const { parentId = "parent", users = [] } = others
  return draftOf({
    parentId,
    users: [{ userId: "ann", ...ann }, ...users],
    features: features.map((name) => ({ name, value: "true" })),
    rootQuorum: { threshold: 1, userIds: ["ann"] },
  })
}

const can = (...given: Parameters<typeof draft>) => {
  const made = draft(...given)
  const ann = requireUser(made, "ann", "at")
  const [reachable, lasting] = [isReachable(made, ann), hasLastingLoginMethod(made, ann)]
  t.equal(isQuorumReachable(made), reachable)
  return lasting ? "lasting" : reachable
}

t.test(
  "a contact is a login method by its own channels, proven or not, and a lasting one if it is proven",
  async (t) => {
    const mail = [FeatureName.OTP_EMAIL_AUTH, FeatureName.EMAIL_AUTH, FeatureName.EMAIL_RECOVERY]
    for (const feature of mail) {
      t.equal(can(MAIL, [feature]), true)
      t.equal(can({ ...MAIL, emailVerified: true }, [feature]), "lasting")
      t.equal(can({ ...NUMBER, phoneNumberVerified: true }, [feature]), false)
    }
    t.equal(can(NUMBER, [FeatureName.SMS_AUTH]), true)
    t.equal(can({ ...NUMBER, phoneNumberVerified: true }, [FeatureName.SMS_AUTH]), "lasting")
    t.equal(can({ ...MAIL, emailVerified: true }, [FeatureName.SMS_AUTH]), false, "by another channel")
    t.equal(can({ ...MAIL, emailVerified: true }, []), false, "by a channel that is off")
    t.equal(can({ emailVerified: true, phoneNumberVerified: true }, [...mail, FeatureName.SMS_AUTH]), false)
  },
)

t.test("a contact is none in a top-level organization, nor where another user has it", async (t) => {
  const proven = { ...MAIL, emailVerified: true }
  const on = [FeatureName.OTP_EMAIL_AUTH, FeatureName.SMS_AUTH]
  t.equal(can(proven, on, { parentId: "" }), false)
  t.equal(can(proven, on, { users: [{ userId: "bob", email: "ANN@example.com" }] }), false)
  t.equal(can(proven, on, { users: [{ userId: "bob", email: "bob@example.com" }] }), "lasting")
  t.equal(
    can({ ...proven, ...NUMBER }, on, { users: [{ userId: "bob", ...MAIL }] }),
    true,
    "the number is free",
  )
  t.equal(can(NUMBER, on, { users: [{ userId: "bob", ...NUMBER }] }), false)
})

t.test("a quorum of users with contacts alone is set where these let them in", async (t) => {
  const quorum = { threshold: 1, userIds: ["ann"] }
  t.doesNotThrow(() => setRootQuorum(draft(MAIL, [FeatureName.OTP_EMAIL_AUTH]), quorum, FIELDS))
  t.throws(() => setRootQuorum(draft(MAIL, []), quorum, FIELDS), refusal("QUORUM_INVALID", "threshold"))
  t.throws(() => setRootQuorum(draft({}, [FeatureName.OTP_EMAIL_AUTH]), quorum, FIELDS), {
    message: /only 0 of its users can log in now$/,
  })
})

t.test(
  "a user cannot give up their last credential for an unproven contact, nor their last contact",
  async (t) => {
    const on = [FeatureName.OTP_EMAIL_AUTH, FeatureName.SMS_AUTH]
    const apiKeys = [{ apiKeyId: "key", publicKey: "02" }]
    const removing = (contact: object) => {
      const made = draft({ apiKeys, ...contact }, on)
      return () => removeApiKeys(made, requireUser(made, "ann", "at"), ["key"], "ids")
    }
    t.throws(removing(MAIL), refusal("LAST_CREDENTIAL", "ids"))
    t.doesNotThrow(removing({ ...MAIL, emailVerified: true }))
    const changing = (set: typeof setEmail, user: object, to: string) => {
      const made = draft(user, on)
      return () => set(made, requireUser(made, "ann", "at"), to, "contact")
    }
    t.throws(changing(setEmail, MAIL, ""), refusal("LAST_CREDENTIAL", "contact"))
    t.throws(changing(setPhoneNumber, NUMBER, ""), refusal("LAST_CREDENTIAL", "contact"))
    t.doesNotThrow(changing(setEmail, { ...MAIL, ...NUMBER }, ""), "the number is left")
    t.doesNotThrow(changing(setPhoneNumber, { ...MAIL, ...NUMBER }, ""))
    t.doesNotThrow(changing(setEmail, MAIL, "new@example.com"), "another address")
    t.doesNotThrow(changing(setEmail, { apiKeys, ...MAIL }, ""))
    t.doesNotThrow(changing(setEmail, {}, ""), "who had no login method loses none")
  },
)
