// The organization that a login enters which names only the parent: of several that know its credential, one or none.
import t from "tap"
import { NIL_UUID } from "../../../../../signer/core/uuid.ts"
import {
  CHILD,
  contactStamp,
  created,
  homeOf,
  id,
  identityStamp,
  key,
  keyStamp,
  NOW_MS,
  otherKey,
  PARENT,
  passkey,
  passkeyStamp,
  provenIds,
  rsaPasskey,
  rsaStamp,
  tally,
  wrongIdentityStamp,
  wrongStamp,
} from "./login-fixture.ts"

const OLD = id(10)
const NEW = id(90)
const own = key.publicKeyHex
const known = (apiKeyId: string, parts: object = {}) => ({ apiKeys: [{ apiKeyId, ...parts }] })
const proven = tally({ added: 1n, proven: 1n, provenIds: provenIds(CHILD) })

t.test("a stamp by a key that nobody holds is left to the parent, and is not verified", async (t) => {
  t.equal(homeOf({ stamp: wrongStamp }), PARENT)
  t.throws(() => homeOf({ stamp: wrongStamp, parent: known(OLD) }), { code: "STAMP_INVALID" })
  t.throws(() => homeOf({ stamp: wrongStamp, tallies: { [own]: created() } }), { code: "STAMP_INVALID" })
})

t.test("the oldest credential leads home: the parent's, or that of a creation", async (t) => {
  const tallies = { [own]: created() }
  t.equal(homeOf({ tallies }), CHILD)
  t.equal(homeOf({ parent: known(OLD) }), PARENT)
  t.equal(homeOf({ parent: known(OLD), tallies }), PARENT)
  t.equal(homeOf({ parent: known(NEW), tallies }), CHILD)
})

t.test("a key of the parent counts until the millisecond in which it expires", async (t) => {
  const tallies = { [own]: created() }
  t.equal(homeOf({ parent: known(OLD, { expiresAtMs: NOW_MS + 1 }), tallies }), PARENT)
  t.equal(homeOf({ parent: known(OLD, { expiresAtMs: NOW_MS }), tallies }), CHILD)
  t.equal(homeOf({ parent: known(OLD, { expiresAtMs: NOW_MS }) }), PARENT, "which then refuses the key")
})

t.test("a passkey of the parent counts by its key", async (t) => {
  const tallies = { "passkey-key": created() }
  const login = (authenticatorId: string) => ({
    stamp: passkeyStamp,
    parent: { passkeys: [{ authenticatorId, of: passkey }] },
    tallies,
  })
  t.equal(homeOf(login(OLD)), PARENT)
  t.equal(homeOf(login(NEW)), CHILD)
  t.equal(homeOf({ stamp: passkeyStamp, tallies }), CHILD)
  t.equal(homeOf({ stamp: passkeyStamp }), PARENT)
})

t.test("a root user's credential that is older than every hold leads to the parent", async (t) => {
  const root = { ...known(OLD), isRoot: true }
  const held = created({ proven: 1n, provenIds: provenIds(CHILD) })
  t.equal(homeOf({ parent: root, tallies: { [own]: held } }), PARENT, "though another has proven the key")
  t.equal(homeOf({ parent: known(OLD), tallies: { [own]: held } }), CHILD)
  t.equal(homeOf({ parent: { ...known(NEW), isRoot: true }, tallies: { [own]: held } }), CHILD)
  const ofUnknownAge = { ...held, since: NIL_UUID }
  t.equal(homeOf({ parent: { ...known(NEW), isRoot: true }, tallies: { [own]: ofUnknownAge } }), PARENT)
  const older = id(5)
  const ofOther = created({ since: older, first: older })
  t.equal(homeOf({ parent: root, tallies: { [own]: created(), [otherKey]: ofOther } }), older)
})

t.test(
  "a session answers no login of a key that a sub-organization was created with or has proven",
  async (t) => {
    t.equal(homeOf({ session: OLD }), PARENT)
    t.throws(() => homeOf({ session: OLD, tallies: { [own]: created() } }), { code: "CREDENTIAL_CONFLICT" })
    t.equal(homeOf({ session: NEW, tallies: { [own]: created() } }), CHILD)
    t.equal(homeOf({ session: OLD, tallies: { [own]: proven } }), CHILD)
    const ofRoot = { session: OLD, parent: { isRoot: true } }
    t.equal(homeOf(ofRoot), PARENT)
    t.equal(homeOf({ ...ofRoot, tallies: { [otherKey]: proven } }), CHILD, "a root user's neither")
    const late = {
      tallies: { [own]: proven },
      child: { ...known(CHILD, { createdAtMs: NOW_MS }), createdAtMs: NOW_MS },
    }
    t.throws(() => homeOf({ ...late, session: OLD, timestampMs: NOW_MS - 1 }), {
      code: "CREDENTIAL_NEWER_THAN_REQUEST",
    })
  },
)

t.test("a key that was only added to a sub-organization leads nowhere before it is proven", async (t) => {
  const tallies = { [own]: tally({ added: 1n }) }
  const message =
    "the suborg that holds the credential got it after its creation, and no login that named it has proven it: " +
    "name the suborg in organizationId"
  const unproven = { code: "LOGIN_UNPROVEN", field: "organizationId", message }
  t.throws(() => homeOf({ tallies }), unproven)
  t.throws(() => homeOf({ tallies, parent: known(NEW) }), unproven)
  t.equal(homeOf({ tallies: { [own]: proven } }), CHILD)
})

t.test(
  "a credential that was registered after the login was stamped answers only its own sign-up",
  async (t) => {
    const login = (createdAtMs: number, isOnly = true) => {
      const child = { ...known(CHILD, { createdAtMs }), createdAtMs: NOW_MS + 5 }
      return homeOf({ child, tallies: { [own]: created(isOnly ? {} : { created: 2n }) } })
    }
    const newer = { code: "CREDENTIAL_NEWER_THAN_REQUEST" }
    t.equal(login(NOW_MS), CHILD)
    t.equal(login(NOW_MS, false), CHILD)
    t.equal(login(NOW_MS + 5), CHILD, "the sign-up")
    t.throws(() => login(NOW_MS + 5, false), newer, "another was created with it too")
    t.throws(() => login(NOW_MS + 1), newer, "added after the creation")
    t.equal(homeOf({ parent: known(OLD, { createdAtMs: NOW_MS + 1 }) }), PARENT)
  },
)

t.test("the refusal of a credential with several homes says so as published clients expect it", async (t) => {
  const refused = (shown: string) => ({
    code: "CREDENTIAL_CONFLICT",
    field: "organizationId",
    message: `more than one suborg associated with ${shown}: name it in organizationId`,
  })
  const many = tally({ created: 2n, proven: 2n })
  t.throws(() => homeOf({ stamp: keyStamp, tallies: { [own]: many } }), refused("a public key"))
  const tallies = { "passkey-key": many }
  t.throws(() => homeOf({ stamp: passkeyStamp, tallies }), refused("a credential ID"))
  const held = { oidc: many }
  t.throws(() => homeOf({ stamp: identityStamp, tallies: held }), refused("an attested identity"))
})

t.test("an attested stamp is verified before anything is looked up", async (t) => {
  t.throws(() => homeOf({ stamp: wrongIdentityStamp, tallies: { oidc: created() } }), {
    code: "STAMP_INVALID",
  })
  t.equal(homeOf({ stamp: identityStamp, tallies: { oidc: created() } }), CHILD)
})

t.test("an identity of the parent counts as its other credentials do", async (t) => {
  const login = (parent: object, held = created()) =>
    homeOf({ stamp: identityStamp, parent, tallies: { oidc: held } })
  t.equal(login({ identity: OLD }), PARENT, "it is older than the creation")
  t.equal(login({ identity: NEW }), CHILD)
  const elsewhere = created({ proven: 1n, provenIds: provenIds(CHILD) })
  t.equal(login({ identity: OLD }, elsewhere), CHILD)
  t.equal(login({ identity: OLD, isRoot: true }, elsewhere), PARENT, "a root user's")
})

t.test("a proven contact of the parent counts from its user's creation, an unproven one never", async (t) => {
  const login = (userId: string, isProven: boolean, more: object = {}, held = created()) =>
    homeOf({
      stamp: contactStamp,
      parent: { contact: { userId, isProven }, ...more },
      tallies: { contact: held },
    })
  t.equal(login(OLD, true), PARENT)
  t.equal(login(NEW, true), CHILD)
  t.equal(login(OLD, false), CHILD)
  const elsewhere = created({ proven: 1n, provenIds: provenIds(CHILD) })
  t.equal(login(OLD, true, {}, elsewhere), CHILD)
  t.equal(login(OLD, true, { isRoot: true }, elsewhere), PARENT, "a root user's")
  const message = "no login of the contact's user has proven it yet: log in with otp_login once"
  t.throws(() => login(OLD, false, {}, tally({})), {
    code: "LOGIN_UNPROVEN",
    field: "organizationId",
    message,
  })
})

t.test("under the id of an RSA passkey the first creation outweighs a login that proved a key", async (t) => {
  const first = id(40)
  const child = { passkeys: [{ authenticatorId: CHILD, of: rsaPasskey }] }
  const login = (held: object) => {
    const tallies = { "passkey-rsa": { ...proven, ...held } }
    return homeOf({ stamp: rsaStamp, child, tallies })
  }
  t.equal(login({}), CHILD, "proven by the only one that has it")
  t.equal(login({ created: 1n, first }), first)
})
