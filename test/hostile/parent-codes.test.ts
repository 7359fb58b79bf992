// One-time codes that a server of the parent asks for in a sub-organization: they prove the end user to it, and nobody else.
import t, { type Test } from "tap"
import { ActivityStatus } from "../../proto/gen/countersign/api/v1/enums_pb.ts"
import { ethereumAccount, outcomeOf, type Tenant, valueOf } from "../harness/api-client.ts"
import { asking, codes, MAIL, otherCode, publishedClaims, sealCode, WRONG } from "../harness/otp.ts"
import { newKey, stampWith, type TestKey } from "../harness/stamper.ts"
import { child, subOrganization } from "../harness/sub-organization.ts"
import { clientSignature, loginUsage } from "../harness/verification.ts"
import { observeTurns } from "./observed-turns.ts"
import { claimsOfSession } from "./oidc-fixture.ts"
import { refused, setup } from "./setup.ts"

const CODES = ["INIT_OTP", "INIT_OTP_V2", "INIT_OTP_V3", "VERIFY_OTP", "VERIFY_OTP_V2"]

async function setUp(t: Test) {
  const fixture = await setup(t)
  const { client, acme, boundary, fakeFetcher } = fixture
  const key = newKey()
  const user = { userName: "ann", userEmail: MAIL, authenticators: [], oauthProviders: [] }
  const apiKeys = [{ apiKeyName: "key", publicKey: key.publicKeyHex, curveType: "API_KEY_CURVE_P256" }]
  const ann = await child(client, acme, { key, rootUsers: [{ ...user, apiKeys }] })
  const server = await client.user(acme, "server")
  await client.submit(acme.root, "ACTIVITY_TYPE_CREATE_POLICY_V3", acme.organizationId, {
    policyName: "codes and logins",
    effect: "EFFECT_ALLOW",
    consensus: `approvers.any(user, user.id == '${server.userId}')`,
    condition: "activity.resource == 'OTP' || activity.resource == 'AUTH'",
    notes: "",
  })
  const attempt = (
    type: string,
    parameters: object,
    { organizationId }: Pick<Tenant, "organizationId"> = ann,
    by: TestKey = server.key,
  ) => {
    boundary.clock.pass(1)
    return client.send(client.body(`ACTIVITY_TYPE_${type}`, organizationId, parameters), by)
  }
  const submit = async (type: string, parameters: object, where?: Pick<Tenant, "organizationId">) => {
    const answer = await attempt(type, parameters, where)
    if (answer.is !== "outcome") throw new Error(`${type}: ${JSON.stringify(answer)}`)
    return answer.outcome
  }
  /** Sends a code in a sub-organization; the end user seals it with their key. */
  const sealed = async (usersKey: TestKey, where: Pick<Tenant, "organizationId"> = ann) => {
    const started = valueOf(await submit("INIT_OTP_V3", asking(), where), "initOtpResultV2")
    const { otpId, otpEncryptionTargetBundle: bundle } = started
    const seal = (code: string) => sealCode(code, bundle, usersKey.publicKeyHex, fakeFetcher)
    return {
      otpId,
      code: fakeFetcher.newestCode,
      encryptedOtpBundle: await seal(fakeFetcher.newestCode),
      seal,
    }
  }
  return { fixture, ann, server, attempt, submit, sealed }
}

t.test("a user of the parent has a code sent and checked for an end user, who logs in with it", async (t) => {
  const { fixture, ann, submit, sealed } = await setUp(t)
  const key = newKey()
  const { otpId, encryptedOtpBundle } = await sealed(key)
  const verified = await submit("VERIFY_OTP_V2", { otpId, encryptedOtpBundle })
  const { verificationToken } = valueOf(verified, "verifyOtpResult")
  const claims = await publishedClaims(verificationToken, fixture)
  t.match(claims, { organization_id: ann.organizationId, contact: MAIL, public_key: key.publicKeyHex })
  const { id } = claims as { id: string }
  const login = await submit("OTP_LOGIN_V2", {
    verificationToken,
    publicKey: key.publicKeyHex,
    clientSignature: clientSignature(key, loginUsage(id, key.publicKeyHex)),
  })
  const owner = { organization_id: ann.organizationId, user_id: ann.rootUserId }
  t.match(claimsOfSession(valueOf(login, "otpLoginResult").session), owner)
  for (const type of ["INIT_OTP", "INIT_OTP_V2"]) {
    const { otpId: plainId } = valueOf(
      await submit(type, asking(type === "INIT_OTP" ? { appName: undefined } : {})),
      "initOtpResult",
    )
    const plain = { otpId: plainId, otpCode: fixture.fakeFetcher.newestCode, publicKey: key.publicKeyHex }
    t.match(
      valueOf(await submit("VERIFY_OTP", plain), "verifyOtpResult"),
      { verificationToken: /^eyJ/ },
      type,
    )
  }
})

t.test("A8: the parent that has a code sent opens nothing without the end user", async (t) => {
  const { fixture, attempt, submit, sealed } = await setUp(t)
  const [users, parents] = [newKey(), newKey()]
  const { otpId, encryptedOtpBundle, seal, code } = await sealed(users)
  const guess = { otpId, encryptedOtpBundle: await seal(otherCode(code)) }
  t.match(await attempt("VERIFY_OTP_V2", guess), WRONG, "a guess")
  t.match(
    await attempt("VERIFY_OTP", { otpId, otpCode: code, publicKey: parents.publicKeyHex }),
    WRONG,
    "in clear",
  )
  const verified = await submit("VERIFY_OTP_V2", { otpId, encryptedOtpBundle })
  const { verificationToken } = valueOf(verified, "verifyOtpResult")
  const { id } = (await publishedClaims(verificationToken, fixture)) as { id: string }
  const publicKey = parents.publicKeyHex
  const signed = clientSignature(parents, loginUsage(id, publicKey))
  for (const clientSignature of [signed, { ...signed, publicKey: users.publicKeyHex }]) {
    const login = () => attempt("OTP_LOGIN_V2", { verificationToken, publicKey, clientSignature })
    await refused(t, fixture, "CLIENT_SIGNATURE_INVALID", login, "the end user's token with the parent's key")
  }
})

t.test("A8: a code of one organization, and its token, count in no other", async (t) => {
  const { fixture, ann, attempt, submit, sealed } = await setUp(t)
  const { client, acme } = fixture
  const bob = await child(client, acme)
  const key = newKey()
  const { otpId, encryptedOtpBundle } = await sealed(key)
  for (const [what, where] of Object.entries({ "its parent": acme, "a sibling": bob }))
    t.match(await attempt("VERIFY_OTP_V2", { otpId, encryptedOtpBundle }, where), WRONG, what)
  const { verificationToken } = valueOf(
    await submit("VERIFY_OTP_V2", { otpId, encryptedOtpBundle }, ann),
    "verifyOtpResult",
  )
  const { id } = (await publishedClaims(verificationToken, fixture)) as { id: string }
  const publicKey = key.publicKeyHex
  const login = {
    verificationToken,
    publicKey,
    clientSignature: clientSignature(key, loginUsage(id, publicKey)),
  }
  for (const where of [acme, bob]) {
    await codes(fixture, acme)
    await refused(t, fixture, "VERIFICATION_TOKEN_INVALID", () => attempt("OTP_LOGIN_V2", login, where))
  }
  t.match(await attempt("OTP_LOGIN_V2", login), { is: "outcome" }, "the unaltered twin")
})

t.test("A8: sub-organizations give a contact no codes beyond those of the family", async (t) => {
  const { fixture, ann, attempt } = await setUp(t)
  const { client, acme } = fixture
  await codes(fixture)
  const bob = await child(client, acme)
  for (const where of [acme, ann, bob])
    t.match(await attempt("INIT_OTP_V3", asking(), where), { is: "outcome" })
  for (const where of [acme, ann, bob])
    await refused(t, fixture, "OTP_LIMIT_EXCEEDED", () => attempt("INIT_OTP_V3", asking(), where))
})

t.test("A8: the parent's policies and the sub-organization's switches both hold for a code", async (t) => {
  const { fixture, ann, server, attempt } = await setUp(t)
  const { client, acme } = fixture
  const { key: noRight } = await client.user(acme, "no right")
  const bob = await child(client, acme)
  const parametersOf = (type: string) =>
    ({
      INIT_OTP: asking({ appName: undefined }),
      VERIFY_OTP: { otpId: ann.organizationId, otpCode: "123456", publicKey: newKey().publicKeyHex },
      VERIFY_OTP_V2: { otpId: ann.organizationId, encryptedOtpBundle: "{}" },
    })[type] ?? asking()
  for (const type of CODES) {
    const parameters = parametersOf(type)
    t.match(await attempt(type, parameters, ann, noRight), { is: "refused", code: "PERMISSION_DENIED" }, type)
    for (const stranger of [newKey(), bob.root])
      await refused(t, fixture, "CREDENTIAL_UNKNOWN", () => attempt(type, parameters, ann, stranger), type)
  }
  const submit = (by: Tenant, type: string, name: string) =>
    client.submit(by.root, `ACTIVITY_TYPE_${type}`, by.organizationId, {
      name,
      ...(type.startsWith("SET") && { value: "" }),
    })
  for (const one of [acme, ann]) {
    await submit(one, "SET_ORGANIZATION_FEATURE", "FEATURE_NAME_SEALED_OTP_ONLY")
    await refused(t, fixture, "OTP_SEALED_ONLY", () => attempt("INIT_OTP_V2", asking(), ann, server.key))
    await submit(one, "REMOVE_ORGANIZATION_FEATURE", "FEATURE_NAME_SEALED_OTP_ONLY")
  }
  await submit(ann, "REMOVE_ORGANIZATION_FEATURE", "FEATURE_NAME_OTP_EMAIL_AUTH")
  await refused(t, fixture, "OTP_DISABLED", () => attempt("INIT_OTP_V3", asking()))
})

t.test("A8: a code asked for while the parent changes its rules waits for the change", async (t) => {
  const { fixture, ann, server, attempt } = await setUp(t)
  const { client, acme } = fixture
  const accounts = [ethereumAccount(7), ethereumAccount(8)]
  const slow = client.body("ACTIVITY_TYPE_CREATE_WALLET", acme.organizationId, {
    walletName: "slow",
    accounts,
  })
  const turns = observeTurns(t, fixture)
  turns.isHolding = true
  const changing = client.offer(slow, stampWith(acme.root, slow))
  while (turns.of(acme.organizationId) === 0) await new Promise((resolve) => setImmediate(resolve))
  turns.isHolding = false
  const order: string[] = []
  const asked = attempt("INIT_OTP_V3", asking(), ann, server.key).finally(() => order.push("code"))
  // More of them than the code has orders.
  for (let login = 0; login < 10; login++)
    await client.submit(ann.root, "ACTIVITY_TYPE_STAMP_LOGIN", ann.organizationId, {
      publicKey: newKey().publicKeyHex,
    })
  order.push("later logins")
  turns.release()
  t.match(await changing, { is: "outcome" })
  t.match(await asked, { is: "outcome" })
  t.strictSame(order, ["later logins", "code"])
})

t.test("A8: the parent casts no vote on a code that users of the sub-organization wait for", async (t) => {
  const { fixture, server } = await setUp(t)
  const { client, acme } = fixture
  const [one, other] = [newKey(), newKey()]
  const { rootUsers } = subOrganization([
    { name: "one", key: one },
    { name: "other", key: other },
  ])
  const contact = { userEmail: MAIL }
  const two = await child(client, acme, {
    rootUsers: rootUsers.map((user) => ({ ...user, ...contact })),
    rootQuorumThreshold: 2,
  })
  const body = client.body("ACTIVITY_TYPE_INIT_OTP_V3", two.organizationId, asking())
  t.match(outcomeOf(await client.send(body, one)), { status: ActivityStatus.CONSENSUS_NEEDED })
  await refused(t, fixture, "PARENT_LOGIN_NOT_ALLOWED", () => client.send(body, server.key))
  t.match(outcomeOf(await client.send(body, other)), { status: ActivityStatus.COMPLETED }, "their own vote")
})
