import { fromBinary } from "@bufbuild/protobuf"
import t, { type Test } from "tap"
import { CredentialType } from "../../../../../proto/gen/countersign/api/v1/enums_pb.ts"
import { RecordSchema, SessionRecordSchema } from "../../../../../proto/gen/countersign/state/v1/record_pb.ts"
import { apiKey, userParams, valueOf } from "../../../../harness/api-client.ts"
import { Passkey } from "../../../../harness/authenticator.ts"
import { Target } from "../../../../harness/credential-target.ts"
import { bundleIn, mailedKeys, mailTo } from "../../../../harness/mailed-keys.ts"
import { newKey, stampWith } from "../../../../harness/stamper.ts"
import { child } from "../../../../harness/sub-organization.ts"
import { asRoot, refused, setup } from "../../../../hostile/setup.ts"

const INIT = "INIT_USER_EMAIL_RECOVERY"
const RECOVER = "ACTIVITY_TYPE_RECOVER_USER"

async function setUp(t: Test) {
  const fixture = await setup(t)
  const { client, acme, boundary } = fixture
  const { recoveryKey } = await mailedKeys(fixture, acme)
  const root = asRoot(fixture)
  const attempt = (type: string, parameters: object) => {
    boundary.clock.pass(1)
    return root.attempt(type, parameters)
  }
  const passkeyOf = (userId = acme.rootUserId) => {
    const passkey = new Passkey()
    return { passkey, parameters: { userId, authenticator: passkey.create() } }
  }
  return { fixture, client, acme, recoveryKey, submit: root.submit, attempt, passkeyOf }
}

t.test("each version mails a recovery key, with which its user adds a passkey", async (t) => {
  const { fixture, client, acme, submit, passkeyOf } = await setUp(t)
  const { organizationId, rootUserId: userId } = acme
  const versions = { [INIT]: {}, [`${INIT}_V2`]: { emailCustomization: { appName: "Shop" } } }
  for (const [type, changes] of Object.entries(versions)) {
    const target = new Target()
    const outcome = await submit(type, mailTo(target, { ...changes, expirationSeconds: "3600" }))
    t.strictSame(Object.keys(valueOf(outcome, "initUserEmailRecoveryResult")), ["$typeName", "userId"])
    t.match(valueOf(outcome, "initUserEmailRecoveryResult"), { userId })
    const app = type === INIT ? "Acme" : "Shop"
    const mail = fixture.fakeFetcher.messages.at(-1)!
    const subject = `Recover your account at ${app}`
    t.match(mail, { subject, text: new RegExp(`^Your recovery key for ${app}: [^]*in 1 hour\\.`) })
    const key = target.open(bundleIn(mail))
    const { payload } = fromBinary(RecordSchema, outcome.records.at(-1)!)
    const record = {
      type: CredentialType.RECOVER_USER_KEY_P256,
      name: /^User Recovery - /,
      publicKey: key.publicKeyHex,
    }
    t.match(fromBinary(SessionRecordSchema, payload), record)
    const { passkey, parameters } = passkeyOf()
    const recovered = await client.submit(key, RECOVER, organizationId, parameters)
    t.equal(valueOf(recovered, "recoverUserResult").authenticatorId.length, 1)
    await client.submit(passkey, "ACTIVITY_TYPE_CREATE_WALLET", organizationId, {
      walletName: app,
      accounts: [],
    })
  }
})

t.test("O8: a recovery ends all recovery keys of its user", async (t) => {
  const { fixture, client, acme, recoveryKey, passkeyOf } = await setUp(t)
  const [first, second] = [await recoveryKey(), await recoveryKey()]
  const login = await client.login(acme, acme.root)
  await client.submit(first, RECOVER, acme.organizationId, passkeyOf().parameters)
  for (const key of [first, second]) {
    const body = client.body(RECOVER, acme.organizationId, passkeyOf().parameters)
    await refused(t, fixture, "CREDENTIAL_UNKNOWN", () => client.offer(body, stampWith(key, body)))
  }
  await client.submit(login.key, "ACTIVITY_TYPE_CREATE_WALLET", acme.organizationId, {
    walletName: "W",
    accounts: [],
  })
})

t.test("a faulty passkey leaves the recovery key as it is", async (t) => {
  const { client, acme, recoveryKey, passkeyOf } = await setUp(t)
  const key = await recoveryKey()
  const { parameters } = passkeyOf()
  const attestation = { ...parameters.authenticator.attestation, attestationObject: "oWNmbXQ" }
  const faulty = { ...parameters, authenticator: { ...parameters.authenticator, attestation } }
  t.equal(await client.refused(key, RECOVER, acme.organizationId, faulty), "ATTESTATION_MALFORMED")
  await client.submit(key, RECOVER, acme.organizationId, parameters)
})

t.test("each recovery feature switches its users, also after the mail was sent", async (t) => {
  const { fixture, client, acme, recoveryKey, submit, attempt, passkeyOf } = await setUp(t)
  const bob = { ...userParams("bob", newKey()), userEmail: "bob@example.com" }
  const [bobId] = valueOf(await submit("CREATE_USERS_V3", { users: [bob] }), "createUsersResult").userIds
  const key = await recoveryKey()
  const switches = { ROOT_USER_EMAIL_RECOVERY: "ann@example.com", EMAIL_RECOVERY: "bob@example.com" }
  for (const [feature, email] of Object.entries(switches)) {
    const name = `FEATURE_NAME_${feature}`
    await submit("REMOVE_ORGANIZATION_FEATURE", { name })
    await refused(
      t,
      fixture,
      "EMAIL_RECOVERY_DISABLED",
      () => attempt(INIT, mailTo(new Target(), { email })),
      name,
    )
    for (const other of Object.values(switches).filter((one) => one !== email))
      t.match(await attempt(INIT, mailTo(new Target(), { email: other })), { is: "outcome" }, other)
    if (feature === "ROOT_USER_EMAIL_RECOVERY") {
      const late = client.refused(key, RECOVER, acme.organizationId, passkeyOf().parameters)
      t.equal(await late, "EMAIL_RECOVERY_DISABLED")
    }
    await submit("SET_ORGANIZATION_FEATURE", { name, value: "" })
  }
  t.ok(bobId)
})

t.test(
  "a sub-organization begins with recovery of its root users, unless it was created without",
  async (t) => {
    const { fixture, client, acme } = await setUp(t)
    for (const isDisabled of [false, true]) {
      const key = newKey()
      const email = "sub@example.com"
      const user = { userName: "sub", userEmail: email, authenticators: [], oauthProviders: [] }
      const disabled = isDisabled && { disableEmailRecovery: true }
      const sub = await child(client, acme, {
        key,
        rootUsers: [{ ...user, apiKeys: [apiKey(key)] }],
        ...disabled,
      })
      fixture.boundary.clock.pass(1)
      const body = client.body(`ACTIVITY_TYPE_${INIT}`, sub.organizationId, mailTo(new Target(), { email }))
      const wanted = isDisabled ? { is: "refused", code: "EMAIL_RECOVERY_DISABLED" } : { is: "outcome" }
      t.match(await client.send(body, key), wanted, String(isDisabled))
    }
  },
)

t.test("O8: recover_user takes a recovery key of that user, and no other credential", async (t) => {
  const { fixture, client, acme, recoveryKey, passkeyOf, submit } = await setUp(t)
  const [bobId = ""] = valueOf(
    await submit("CREATE_USERS_V3", { users: [userParams("bob", newKey())] }),
    "createUsersResult",
  ).userIds
  const { key: session } = await client.login(acme, acme.root)
  for (const key of [acme.root, session]) {
    const body = client.body(RECOVER, acme.organizationId, passkeyOf().parameters)
    await refused(t, fixture, "RECOVERY_KEY_NEEDED", () => client.offer(body, stampWith(key, body)))
  }
  const key = await recoveryKey()
  const body = client.body(RECOVER, acme.organizationId, passkeyOf(bobId).parameters)
  await refused(
    t,
    fixture,
    "RECOVERY_KEY_CONFINED",
    () => client.offer(body, stampWith(key, body)),
    "of the root quorum",
  )
  await client.submit(key, RECOVER, acme.organizationId, passkeyOf().parameters)
})
