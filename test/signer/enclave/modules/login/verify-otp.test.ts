import t from "tap"
import { valueOf } from "../../../../harness/api-client.ts"
import { asking, codes, MAIL, otherCode, publishedClaims, sealCode, WRONG } from "../../../../harness/otp.ts"
import { newKey } from "../../../../harness/stamper.ts"
import { child } from "../../../../harness/sub-organization.ts"
import { clientSignature, loginUsage } from "../../../../harness/verification.ts"
import { addPolicy, setupMembers } from "../../../../hostile/consensus-fixture.ts"
import { claimsOfSession } from "../../../../hostile/oidc-fixture.ts"
import { setup } from "../../../../hostile/setup.ts"

t.test("a sealed code gives a token that the published client accepts, by either type", async (t) => {
  const fixture = await setup(t)
  const { start, verify } = await codes(fixture)
  const { publicKeyHex } = newKey()
  for (const type of ["VERIFY_OTP_V2", "VERIFY_OTP"]) {
    const { otpId, bundle, code } = await start()
    t.match(code, /^[0-9A-HJKMNP-TV-Z]{9}$/, "nine characters that cannot be confused")
    const encryptedOtpBundle = await sealCode(code, bundle, publicKeyHex, fixture.fakeFetcher)
    const claims = await publishedClaims(await verify(type, { otpId, encryptedOtpBundle }), fixture)
    t.match(claims, {
      organization_id: fixture.acme.organizationId,
      verification_type: "OTP_TYPE_EMAIL",
      contact: MAIL,
      public_key: publicKeyHex,
      exp: String(fixture.boundary.clock.wallMs() + 3_600_000),
    })
  }
})

t.test("a code in clear gives a token, bound to a key or not", async (t) => {
  const fixture = await setup(t)
  const { startPlain, verify } = await codes(fixture)
  const { publicKeyHex } = newKey()
  const bound = await startPlain()
  const token = await verify("VERIFY_OTP", { ...bound, publicKey: publicKeyHex, expirationSeconds: "60" })
  t.match(await publishedClaims(token, fixture), {
    public_key: publicKeyHex,
    exp: String(fixture.boundary.clock.wallMs() + 60_000),
  })
  const unbound = await verify("VERIFY_OTP", await startPlain())
  const payload = JSON.parse(Buffer.from(unbound.split(".")[1]!, "base64").toString()) as object
  t.strictSame(Object.keys(payload), ["exp", "id", "organization_id", "verification_type", "contact"])
})

t.test("a code is read in any case, and letters that look like digits count as those", async (t) => {
  const fixture = await setup(t)
  const { startPlain, verify } = await codes(fixture)
  const { otpId, otpCode } = await startPlain()
  const typed = ` ${otpCode.toLowerCase().replaceAll("0", "o").replaceAll("1", "l")} `
  t.ok(await verify("VERIFY_OTP", { otpId, otpCode: typed }))
})

t.test("a code has three attempts, and the fourth is refused even if it is right", async (t) => {
  const fixture = await setup(t)
  const { start, startPlain, attempt } = await codes(fixture)
  const plain = await startPlain()
  for (let round = 0; round < 3; round++)
    t.match(await attempt("VERIFY_OTP", { ...plain, otpCode: otherCode(plain.otpCode) }), WRONG)
  t.match(await attempt("VERIFY_OTP", plain), WRONG, "the right code comes too late")
  const { otpId, bundle, code } = await start()
  const sealed = (text: string) => sealCode(text, bundle, newKey().publicKeyHex, fixture.fakeFetcher)
  t.match(await attempt("VERIFY_OTP_V2", { otpId, encryptedOtpBundle: await sealed(otherCode(code)) }), WRONG)
  t.match(await attempt("VERIFY_OTP_V2", { otpId, encryptedOtpBundle: "{}" }), WRONG)
  const right = { otpId, encryptedOtpBundle: await sealed(code) }
  t.match(await attempt("VERIFY_OTP_V2", right), { is: "outcome" }, "the third attempt")
  t.match(await attempt("VERIFY_OTP_V2", right), WRONG, "a code is used once")
})

t.test("a code expires", async (t) => {
  const fixture = await setup(t)
  const { startPlain, attempt } = await codes(fixture)
  const [first, second] = [await startPlain({ expirationSeconds: "60" }), await startPlain()]
  fixture.boundary.clock.pass(59_000)
  t.match(await attempt("VERIFY_OTP", first), { is: "outcome" })
  fixture.boundary.clock.pass(241_000)
  t.match(await attempt("VERIFY_OTP", second), WRONG, "after five minutes")
})

t.test("a code works for the organization and the generation that opened it alone", async (t) => {
  const fixture = await setup(t)
  const { client, acme, fakeFetcher } = fixture
  const parent = await codes(fixture)
  const sub = await codes(fixture, await child(client, acme))
  const { publicKeyHex } = newKey()
  const plain = await parent.startPlain()
  t.match(await sub.attempt("VERIFY_OTP", plain), WRONG, "its sub-organization")
  const ofSub = await sub.startPlain()
  t.match(await parent.attempt("VERIFY_OTP", ofSub), WRONG, "its parent")
  const { otpId, bundle, code } = await parent.start()
  const encryptedOtpBundle = await sealCode(code, bundle, publicKeyHex, fakeFetcher)
  t.match(await parent.attempt("VERIFY_OTP", { otpId, otpCode: code }), WRONG, "sealed, given in clear")
  t.match(await parent.attempt("VERIFY_OTP_V2", { otpId: plain.otpId, encryptedOtpBundle }), WRONG)
  t.match(await parent.attempt("VERIFY_OTP", plain), { is: "outcome" })
  t.match(await sub.attempt("VERIFY_OTP", ofSub), { is: "outcome" })
  t.match(await parent.attempt("VERIFY_OTP_V2", { otpId, encryptedOtpBundle }), { is: "outcome" })
})

t.test("a code is given in one form, and its key is a key", async (t) => {
  const fixture = await setup(t)
  const { startPlain, attempt } = await codes(fixture)
  const plain = await startPlain()
  const { otpId } = plain
  for (const parameters of [{ otpId }, { ...plain, encryptedOtpBundle: "{}" }]) {
    t.match(await attempt("VERIFY_OTP", parameters), { code: "REQUEST_INVALID", field: "parameters.otpCode" })
  }
  const publicKey = `02${"f".repeat(64)}`
  t.match(await attempt("VERIFY_OTP", { ...plain, publicKey }), { code: "PUBLIC_KEY_INVALID" })
  t.match(await attempt("VERIFY_OTP", plain), { is: "outcome" }, "the unaltered twin")
})

t.test("an unknown id has the text of a wrong code", async (t) => {
  const { attempt } = await codes(await setup(t))
  const otpId = "0199aaaa-0000-7000-8000-000000000000"
  t.match(await attempt("VERIFY_OTP", { otpId, otpCode: "123456" }), WRONG)
})

t.test("policies allow starting and checking codes apart", async (t) => {
  const fixture = await setupMembers(t)
  const { client, acme, dan, boundary } = fixture
  const { startPlain } = await codes(fixture)
  await addPolicy(fixture, {
    effect: "EFFECT_ALLOW",
    condition: "activity.resource == 'OTP' && activity.action == 'VERIFY'",
    consensus: `approvers.any(user, user.id == '${dan.userId}')`,
  })
  const plain = await startPlain()
  const byDan = (type: string, parameters: object) => {
    boundary.clock.pass(1)
    return client.send(client.body(`ACTIVITY_TYPE_${type}`, acme.organizationId, parameters), dan.key)
  }
  t.match(await byDan("INIT_OTP_V2", asking()), { code: "PERMISSION_DENIED" })
  t.match(await byDan("VERIFY_OTP", { ...plain, otpCode: otherCode(plain.otpCode) }), WRONG)
  t.match(await byDan("VERIFY_OTP", plain), { is: "outcome" })
})

t.test("sandbox contacts have the published code, and no message, if the operator says so", async (t) => {
  const fixture = await setup(t)
  const { fakeFetcher, boundary } = fixture
  const { submit, start, verify } = await codes(fixture)
  const form = { otpLength: 6, alphanumeric: false }
  const mail = { contact: "User@Example.com", ...form }
  const sms = { otpType: "OTP_TYPE_SMS", contact: "+19999999999", ...form }
  const plain = async (ask: object) =>
    valueOf(await submit("INIT_OTP_V2", asking(ask)), "initOtpResult").otpId
  const otpCode = "000000"
  await plain(mail)
  t.equal(fakeFetcher.messages.length, 1, "off by default: a code is made and sent")
  boundary.clock.pass(600_000)
  fakeFetcher.sandboxContacts = true
  fakeFetcher.restart()
  boundary.clock.pass(1)
  for (const ask of [mail, sms])
    t.ok(await verify("VERIFY_OTP", { otpId: await plain(ask), otpCode }), JSON.stringify(ask))
  t.equal(fakeFetcher.messages.length, 1, "nothing is sent")
  const { bundle, otpId } = await start(mail)
  const encryptedOtpBundle = await sealCode(otpCode, bundle, newKey().publicKeyHex, fakeFetcher)
  t.ok(await verify("VERIFY_OTP_V2", { otpId, encryptedOtpBundle }), "a sealed code")
  for (const others of [{ otpLength: 7 }, { alphanumeric: true }, { contact: "user@example.org" }]) {
    const sent = fakeFetcher.messages.length
    await plain({ ...mail, ...others })
    t.equal(fakeFetcher.messages.length, sent + 1, "another form, another contact")
  }
})

t.test("a user who was created with an e-mail address alone logs in by a code to it", async (t) => {
  const fixture = await setup(t)
  const { start, submit, verify } = await codes(fixture)
  const user = {
    userName: "ann",
    userEmail: MAIL,
    apiKeys: [],
    authenticators: [],
    oauthProviders: [],
    userTags: [],
  }
  const [userId] = valueOf(await submit("CREATE_USERS_V3", { users: [user] }), "createUsersResult").userIds
  const { bundle, otpId, code } = await start()
  const key = newKey()
  const { publicKeyHex: publicKey } = key
  const encryptedOtpBundle = await sealCode(code, bundle, publicKey, fixture.fakeFetcher)
  const verificationToken = await verify("VERIFY_OTP_V2", { otpId, encryptedOtpBundle })
  const { id } = (await publishedClaims(verificationToken, fixture)) as { id: string }
  const signature = clientSignature(key, loginUsage(id, publicKey))
  const login = await submit("OTP_LOGIN_V2", { verificationToken, publicKey, clientSignature: signature })
  t.match(claimsOfSession(valueOf(login, "otpLoginResult").session), {
    user_id: userId,
    public_key: publicKey,
  })
})

t.test("a check that waited for votes and finds a wrong code ends", async (t) => {
  const fixture = await setupMembers(t)
  const { client, acme, dan } = fixture
  const { startPlain, attempt } = await codes(fixture)
  await addPolicy(fixture, {
    effect: "EFFECT_ALLOW",
    condition: "activity.resource == 'OTP'",
    consensus: `approvers.any(user, user.id == '${dan.userId}') && approvers.count() >= 2`,
  })
  const plain = await startPlain()
  const wrong = { ...plain, otpCode: otherCode(plain.otpCode) }
  const body = client.body("ACTIVITY_TYPE_VERIFY_OTP", acme.organizationId, wrong)
  const waiting = await client.send(body, dan.key)
  if (waiting.is !== "outcome") return t.fail("it waits")
  const fingerprint = `sha256:${Buffer.from(waiting.outcome.activityFingerprint).toString("hex")}`
  const ended = await attempt("APPROVE_ACTIVITY", { fingerprint })
  t.match(ended, { is: "outcome", outcome: { failure: { sentence: "Invalid OTP code" } } })
})
