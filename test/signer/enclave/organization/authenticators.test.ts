import t from "tap"
import { randomBytes } from "node:crypto"
import {
  addAuthenticator,
  removeApiKeys,
  removeAuthenticators,
} from "../../../../signer/enclave/organization/credentials.ts"
import { setRootQuorum } from "../../../../signer/enclave/modules/organization/root-quorum.ts"
import { requireUser } from "../../../../signer/enclave/organization/users.ts"
import { Passkey } from "../../../harness/authenticator.ts"
import { DEFAULT_LIMITS } from "../../../../signer/enclave/organization/limits.ts"
import { draftOf, NOW, refusal } from "./drafts.ts"

const FIELD = "parameters.authenticators[0]"
const FIELDS = { threshold: "parameters.threshold", userIds: "parameters.userIds" }

const identity = { providerId: "idp", issuer: "https://idp.example", audience: "app", subject: "alice" }

function passkey(authenticatorId: string, credentialId: Uint8Array = randomBytes(20)) {
  const [aaguid, rpIdHash] = [randomBytes(16), randomBytes(32)]
  const shared = { name: authenticatorId, attestationType: "none", transports: [] }
  return { authenticatorId, credentialId, publicKey: new Passkey().publicKey, aaguid, rpIdHash, ...shared }
}

t.test("a passkey is added with all members and its times", async (t) => {
  const draft = draftOf({ users: [{ userId: "alice" }] })
  const alice = requireUser(draft, "alice", "userId")
  const given = passkey("one")
  addAuthenticator(draft, alice, given, FIELD)
  t.match(alice.authenticators, [{ ...given, createdAtMs: BigInt(NOW), updatedAtMs: BigInt(NOW) }])
  t.equal(alice.updatedAtMs, BigInt(NOW))
  t.equal(draft.nextVersion(1n)?.version, 2n)
})

t.test("a credential id belongs to one user of an organization", async (t) => {
  const draft = draftOf({
    users: [{ userId: "alice", authenticators: [passkey("one", Buffer.of(1))] }, { userId: "bob" }],
  })
  const taken = refusal("CREDENTIAL_TAKEN", `${FIELD}.attestation.credentialId`)
  for (const userId of ["alice", "bob"]) {
    const user = requireUser(draft, userId, "userId")
    t.throws(() => addAuthenticator(draft, user, passkey("two", Buffer.of(1)), FIELD), taken)
  }
  t.equal(draft.nextVersion(1n), undefined)
})

t.test("a passkey's public key belongs to one user of an organization, in every encoding", async (t) => {
  const held = passkey("one")
  const draft = draftOf({ users: [{ userId: "alice", authenticators: [held] }, { userId: "bob" }] })
  const taken = refusal("CREDENTIAL_TAKEN", `${FIELD}.attestation.credentialId`)
  // The members of the CBOR map in another order: 1, 3, -1, -2, -3 become 3, 1, -1, -2, -3.
  const { publicKey } = held
  const reordered = Buffer.concat([
    publicKey.subarray(0, 1),
    publicKey.subarray(3, 5),
    publicKey.subarray(1, 3),
    publicKey.subarray(5),
  ])
  const bob = requireUser(draft, "bob", "userId")
  for (const other of [publicKey, reordered])
    t.throws(() => addAuthenticator(draft, bob, { ...passkey("two"), publicKey: other }, FIELD), taken)
  t.equal(draft.nextVersion(1n), undefined)
})

t.test("a user has as many passkeys as the operator allows", async (t) => {
  const draft = draftOf({ users: [{ userId: "alice" }] }, { ...DEFAULT_LIMITS, authenticators: 10 })
  const alice = requireUser(draft, "alice", "userId")
  for (let index = 0; index < 10; index++) addAuthenticator(draft, alice, passkey(`${index}`), FIELD)
  t.throws(() => addAuthenticator(draft, alice, passkey("eleventh"), FIELD), refusal("LIMIT_EXCEEDED", FIELD))
})

t.test("only a user's own passkeys can be removed", async (t) => {
  const users = [
    { userId: "alice", authenticators: [passkey("one"), passkey("two")] },
    { userId: "bob", authenticators: [passkey("three")] },
  ]
  const draft = draftOf({ users })
  const alice = requireUser(draft, "alice", "userId")
  const unknown = refusal("RESOURCE_UNKNOWN", "ids[1]")
  t.throws(() => removeAuthenticators(draft, alice, ["one", "three"], "ids"), unknown)
  removeAuthenticators(draft, alice, ["one"], "ids")
  t.match(alice.authenticators, [{ authenticatorId: "two" }])
})

t.test("a user keeps one lasting credential of any kind", async (t) => {
  const lasting = { apiKeyId: "lasting", publicKey: "02" }
  const brief = { apiKeyId: "brief", publicKey: "03", expiresAtMs: 1n }
  const removing = (init: object, what: "passkey" | "key") => {
    const draft = draftOf({ users: [{ userId: "alice", ...init }] })
    const alice = requireUser(draft, "alice", "userId")
    return what === "key"
      ? () => removeApiKeys(draft, alice, ["lasting"], "ids")
      : () => removeAuthenticators(draft, alice, ["one"], "ids")
  }
  const last = refusal("LAST_CREDENTIAL", "ids")
  const authenticators = [passkey("one")]
  t.throws(removing({ authenticators }, "passkey"), last)
  t.throws(
    removing({ authenticators, apiKeys: [brief] }, "passkey"),
    last,
    "a key that expires does not count",
  )
  t.throws(removing({ apiKeys: [lasting, brief] }, "key"), last)
  t.doesNotThrow(removing({ authenticators, apiKeys: [lasting] }, "passkey"))
  t.doesNotThrow(removing({ authenticators, apiKeys: [lasting] }, "key"))
  const oauthProviders = [identity]
  t.doesNotThrow(removing({ authenticators, oauthProviders }, "passkey"))
  t.doesNotThrow(removing({ apiKeys: [lasting], oauthProviders }, "key"))
})

t.test(
  "a member with a passkey counts in the root quorum, a member without credential does not",
  async (t) => {
    const users = [{ userId: "alice", authenticators: [passkey("one")] }, { userId: "bob" }]
    const members = ["alice", "bob"]
    const quorum = (threshold: number) => ({ threshold, userIds: members })
    t.doesNotThrow(() => setRootQuorum(draftOf({ users }), quorum(1), FIELDS))
    t.throws(() => setRootQuorum(draftOf({ users }), quorum(2), FIELDS), refusal("QUORUM_INVALID"))
  },
)

t.test(
  "a member counts in the root quorum with an identity or an expiring key, until it expires",
  async (t) => {
    const quorum = { threshold: 1, userIds: ["alice"] }
    const set = (user: object) => () =>
      setRootQuorum(draftOf({ users: [{ userId: "alice", ...user }] }), quorum, FIELDS)
    t.doesNotThrow(set({ oauthProviders: [identity] }))
    const expiring = (expiresAtMs: number) => ({
      apiKeys: [{ publicKey: "02", expiresAtMs: BigInt(expiresAtMs) }],
    })
    t.doesNotThrow(set(expiring(NOW + 1)))
    t.throws(set(expiring(NOW)), refusal("QUORUM_INVALID", FIELDS.threshold))
    t.throws(set({ email: "alice@example.com" }), refusal("QUORUM_INVALID", FIELDS.threshold))
  },
)
