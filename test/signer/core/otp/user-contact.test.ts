import { create } from "@bufbuild/protobuf"
import t from "tap"
import { OtpType } from "../../../../proto/gen/countersign/api/v1/enums_pb.ts"
import { UserSchema } from "../../../../proto/gen/countersign/state/v1/document_pb.ts"
import {
  contactName,
  contactOwners,
  contactsOf,
  isContactName,
  proveContact,
} from "../../../../signer/core/otp/user-contact.ts"

const { EMAIL, SMS } = OtpType
const user = (userId: string, email = "", phoneNumber = "") =>
  create(UserSchema, { userId, email, phoneNumber })

t.test("a user has the contacts that are not empty", async (t) => {
  t.same(contactsOf(user("a")), [])
  const both = create(UserSchema, {
    email: "a@b.example",
    phoneNumber: "+15551234567",
    phoneNumberVerified: true,
  })
  t.same(contactsOf(both), [
    { channel: EMAIL, contact: "a@b.example", isProven: false },
    { channel: SMS, contact: "+15551234567", isProven: true },
  ])
})

t.test("a contact is proven once, by its own channel", async (t) => {
  const ann = user("ann", "ann@example.com", "+15551234567")
  t.ok(proveContact(ann, EMAIL))
  t.notOk(proveContact(ann, EMAIL), "it was known")
  t.match(ann, { emailVerified: true, phoneNumberVerified: false })
  t.ok(proveContact(ann, SMS))
  t.match(ann, { phoneNumberVerified: true })
})

t.test("spellings that a token proves alike have one name, channels have two", async (t) => {
  const name = contactName({ channel: EMAIL, contact: "ann@example.com" })
  t.equal(name, contactName({ channel: EMAIL, contact: "ANN@Example.com" }))
  t.equal(name, "contact:4GUDWPlTWrE-yInvy3Q5Yb0lcH-rcqlTF2GCXwXToVc", "stored with votes")
  t.not(name, contactName({ channel: SMS, contact: "ann@example.com" }))
  t.not(
    contactName({ channel: EMAIL, contact: "k@example.com" }),
    contactName({ channel: EMAIL, contact: "\u212a@example.com" }),
    "the Kelvin sign",
  )
  t.ok(isContactName(name))
  t.notOk(isContactName("oidc:x"))
  t.notOk(isContactName(`x${name}`))
})

t.test("a contact leads to its user, unless several have it", async (t) => {
  const ann = user("ann", "ann@example.com", "+15551234567")
  const bob = user("bob", "Bob@example.com", "+15551234568")
  const owners = contactOwners([ann, bob, user("cleo", "BOB@example.com"), user("dan", "bob@example.com")])
  const find = (channel: OtpType, contact: string) =>
    owners.get(contactName({ channel, contact }))?.user.userId
  t.equal(find(EMAIL, "Ann@example.com"), "ann")
  t.equal(find(SMS, "+15551234567"), "ann")
  t.equal(find(SMS, "+15551234568"), "bob")
  t.equal(find(EMAIL, "bob@example.com"), undefined, "three have it")
  t.equal(find(SMS, "ann@example.com"), undefined)
})
