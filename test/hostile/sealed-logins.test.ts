// Sessions whose key the signer makes for a code or an ID token: they open for the client that proves itself, and for nobody else.
import { fromBinary } from "@bufbuild/protobuf"
import t, { type Test } from "tap"
import { FetchStatementSchema } from "../../proto/gen/countersign/signer/v1/fetcher_pb.ts"
import { apiKey, signParams, type Tenant, valueOf } from "../harness/api-client.ts"
import { nonceOf } from "../harness/attested.ts"
import { Target } from "../harness/credential-target.ts"
import { codes, MAIL, otherCode, publishedClaims, WRONG } from "../harness/otp.ts"
import { newKey, stampWith, type TestKey } from "../harness/stamper.ts"
import { child } from "../harness/sub-organization.ts"
import { clientSignature, loginUsage } from "../harness/verification.ts"
import { identityChild, loginServer, oauthParams, attestedKey } from "./oidc-fixture.ts"
import { relayed } from "./relayed.ts"
import { refused, setup } from "./setup.ts"

const ASKED = { otpType: "OTP_TYPE_EMAIL", contact: MAIL }
const TYPES = ["INIT_OTP_AUTH", "OTP_AUTH", "OAUTH"]

/** The root user of Acme has an e-mail address; a sub-organization's has it too. A policy lets a server of Acme log in end users. */
async function setUp(t: Test) {
  const fixture = await setup(t)
  const { client, acme, boundary, fakeFetcher } = fixture
  const asked = await codes(fixture)
  await asked.submit("UPDATE_USER_EMAIL", { userId: acme.rootUserId, userEmail: MAIL })
  const key = newKey()
  const user = { userName: "ann", userEmail: MAIL, authenticators: [], oauthProviders: [] }
  const ann = await child(client, acme, { key, rootUsers: [{ ...user, apiKeys: [apiKey(key)] }] })
  const server = await client.user(acme, "server")
  await client.submit(acme.root, "ACTIVITY_TYPE_CREATE_POLICY_V3", acme.organizationId, {
    policyName: "logins",
    effect: "EFFECT_ALLOW",
    consensus: `approvers.any(user, user.id == '${server.userId}')`,
    condition: "activity.resource == 'AUTH'",
    notes: "",
  })
  const byServer = (
    type: string,
    parameters: object,
    { organizationId }: Pick<Tenant, "organizationId"> = ann,
    by: TestKey = server.key,
  ) => {
    boundary.clock.pass(1)
    return client.send(client.body(`ACTIVITY_TYPE_${type}`, organizationId, parameters), by)
  }
  /** A code in Acme. */
  const start = async () => {
    const { otpId } = valueOf(await asked.submit("INIT_OTP_AUTH", ASKED), "initOtpAuthResult")
    return { otpId, otpCode: fakeFetcher.newestCode }
  }
  return { fixture, ...asked, ann, server, byServer, start, target: new Target() }
}

t.test(
  "O7: the token that the fetcher states for a code is worth nothing without the client's key",
  async (t) => {
    const { fixture, attempt, start, target } = await setUp(t)
    const { targetPublicKey } = target
    const auth = relayed(fixture, "OTP_AUTH", { ...(await start()), targetPublicKey })
    const stated = await auth.ask()
    const { finding } = fromBinary(FetchStatementSchema, stated.statement!.statement)
    t.equal(finding.case, "codeChecked")
    if (finding.case !== "codeChecked") return
    const { verificationToken } = finding.value
    const claims = (await publishedClaims(verificationToken, fixture)) as { id: string }
    t.match(claims, { contact: MAIL, public_key: target.compressed })
    const attackers = newKey()
    const publicKey = attackers.publicKeyHex
    const signed = clientSignature(attackers, loginUsage(claims.id, publicKey))
    for (const signature of [signed, { ...signed, publicKey: target.compressed }]) {
      const login = { verificationToken, publicKey, clientSignature: signature }
      await refused(t, fixture, "CLIENT_SIGNATURE_INVALID", () => attempt("OTP_LOGIN_V2", login))
    }
    const login = { verificationToken, publicKey }
    t.match(
      await attempt("OTP_LOGIN", login),
      { is: "refused", code: "CLIENT_SIGNATURE_INVALID" },
      "without one",
    )
    t.match(await auth.send(stated), { is: "outcome" }, "the client's own request")
  },
)

t.test("O7: an altered target key has no stamp, and a statement serves its own request", async (t) => {
  const { fixture, start, target } = await setUp(t)
  const { client, acme } = fixture
  const { targetPublicKey } = target
  const code = await start()
  const body = client.body("ACTIVITY_TYPE_OTP_AUTH", acme.organizationId, { ...code, targetPublicKey })
  const stamp = stampWith(acme.root, body)
  const altered = body.replace(targetPublicKey, new Target().targetPublicKey)
  await refused(t, fixture, "STAMP_INVALID", () => client.offer(altered, stamp))
  const [mine, other] = [
    relayed(fixture, "OTP_AUTH", { ...code, targetPublicKey }),
    relayed(fixture, "OTP_AUTH", { ...(await start()), targetPublicKey: new Target().targetPublicKey }),
  ]
  const theirs = await other.ask()
  await refused(t, fixture, "STATEMENT_INVALID", () => mine.send(theirs))
  const own = await mine.ask()
  await refused(t, fixture, "STATEMENT_INVALID", () => mine.send({ ...theirs, order: own.order! }))
  t.match(await mine.send(own), { is: "outcome" })
})

t.test(
  "O1: restarts, and orders of one activity, give a code of init_otp_auth no attempt back",
  async (t) => {
    const { fixture, attempt, start, target } = await setUp(t)
    const { boundary, fakeFetcher } = fixture
    const { targetPublicKey } = target
    const [first, second] = [await start(), await start()]
    const wrong = relayed(fixture, "OTP_AUTH", {
      ...first,
      otpCode: otherCode(first.otpCode),
      targetPublicKey,
    })
    for (let round = 0; round < 5; round++) t.match(await wrong.send(await wrong.ask()), WRONG)
    for (let round = 0; round < 2; round++) {
      boundary.clock.pass(1)
      fakeFetcher.restart()
      await boundary.restart()
      fakeFetcher.obey(boundary)
      const otherOne = { ...first, otpCode: otherCode(first.otpCode), targetPublicKey }
      t.match(await attempt("OTP_AUTH", otherOne), WRONG)
    }
    t.match(await attempt("OTP_AUTH", { ...first, targetPublicKey }), WRONG, "the fourth attempt")
    t.match(
      await attempt("OTP_AUTH", { ...second, targetPublicKey }),
      { is: "outcome" },
      "the unaltered twin",
    )
  },
)

t.test("O3: a withheld statement of otp_auth is stated again for its body alone", async (t) => {
  const { fixture, attempt, start, target } = await setUp(t)
  const { targetPublicKey } = target
  const code = await start()
  const auth = relayed(fixture, "OTP_AUTH", { ...code, targetPublicKey })
  await auth.ask()
  const thiefs = { ...code, targetPublicKey: new Target().targetPublicKey }
  t.match(await attempt("OTP_AUTH", thiefs), WRONG, "another body")
  const answer = await auth.send(await auth.ask())
  t.match(answer, { is: "outcome" }, "the same body")
  if (answer.is !== "outcome") return
  const { credentialBundle = "" } = valueOf(answer.outcome, "otpAuthResult")
  t.match(target.open(credentialBundle), { publicKeyHex: /^0[23]/ })
  t.throws(() => new Target().open(credentialBundle), "the bundle opens for nobody else")
})

t.test("A8: a user of the parent has sessions sealed to end users, by the parent's policies", async (t) => {
  const { fixture, ann, byServer } = await setUp(t)
  const { client, acme, fakeFetcher } = fixture
  const target = new Target()
  const { targetPublicKey } = target
  const asked = await byServer("INIT_OTP_AUTH", ASKED)
  if (asked.is !== "outcome") throw new Error(JSON.stringify(asked))
  const { otpId } = valueOf(asked.outcome, "initOtpAuthResult")
  const otpCode = fakeFetcher.newestCode
  const elsewhere = await byServer("OTP_AUTH", { otpId, otpCode, targetPublicKey }, acme)
  t.match(elsewhere, WRONG, "a code of a sub-organization in its parent")
  const opened = await byServer("OTP_AUTH", { otpId, otpCode, targetPublicKey })
  if (opened.is !== "outcome") throw new Error(JSON.stringify(opened))
  const { userId, credentialBundle = "" } = valueOf(opened.outcome, "otpAuthResult")
  t.equal(userId, ann.rootUserId)
  const key = target.open(credentialBundle)
  const sign = ["ACTIVITY_TYPE_SIGN_RAW_PAYLOAD_V2", ann.organizationId, signParams(ann.address)] as const
  await client.submit(key, ...sign)
  const { key: noRight } = await client.user(acme, "no right")
  const parametersOf: { [type: string]: object } = {
    INIT_OTP_AUTH: ASKED,
    OTP_AUTH: { otpId, otpCode, targetPublicKey },
    OAUTH: {
      oidcToken: fakeFetcher.token({ nonce: nonceOf({ publicKeyHex: targetPublicKey }) }),
      targetPublicKey,
    },
  }
  for (const type of TYPES) {
    const parameters = parametersOf[type]!
    t.match(
      await byServer(type, parameters, ann, noRight),
      { is: "refused", code: "PERMISSION_DENIED" },
      type,
    )
    for (const stranger of [newKey(), (await child(client, acme)).root])
      await refused(t, fixture, "CREDENTIAL_UNKNOWN", () => byServer(type, parameters, ann, stranger), type)
  }
})

t.test(
  "A8: oauth opens a session for the token's user, once, sealed to the key that the token names",
  async (t) => {
    const fixture = await setup(t)
    const { client, fakeFetcher, boundary } = fixture
    const server = await loginServer(fixture, "ACTIVITY_TYPE_OAUTH")
    const alice = await identityChild(fixture, "alice", newKey())
    const attempt = (parameters: object, type = "ACTIVITY_TYPE_OAUTH", by: TestKey = server.key) => {
      boundary.clock.pass(1)
      return client.send(client.body(type, alice.organizationId, parameters), by)
    }
    const target = new Target()
    const { targetPublicKey } = target
    const tokenFor = (publicKeyHex: string, changes: object = {}) =>
      fakeFetcher.token({ sub: "alice", nonce: nonceOf({ publicKeyHex }), ...changes })
    const oidcToken = tokenFor(targetPublicKey)
    const parents = new Target().targetPublicKey
    const attacks: [what: string, parameters: object, code: string][] = [
      ["the parent's key", { oidcToken, targetPublicKey: parents }, "OIDC_NONCE_WRONG"],
      ["no nonce", { oidcToken: fakeFetcher.token({ sub: "alice" }), targetPublicKey }, "OIDC_NONCE_WRONG"],
      [
        "another person's",
        { oidcToken: tokenFor(parents, { sub: "eve" }), targetPublicKey: parents },
        "RESOURCE_UNKNOWN",
      ],
      ["forged", { oidcToken: `${oidcToken.slice(0, -8)}AAAAAAAA`, targetPublicKey }, "OIDC_TOKEN_INVALID"],
      ["no key at all", { oidcToken, targetPublicKey: `04${"ff".repeat(64)}` }, "TARGET_KEY_INVALID"],
    ]
    for (const [what, parameters, code] of attacks)
      t.match(await attempt(parameters), { is: "refused", code }, what)
    const answer = await attempt({ oidcToken, targetPublicKey, expirationSeconds: "60", apiKeyName: "web" })
    if (answer.is !== "outcome") throw new Error(JSON.stringify(answer))
    const { userId, credentialBundle } = valueOf(answer.outcome, "oauthResult")
    t.equal(userId, alice.rootUserId)
    const sign = [
      "ACTIVITY_TYPE_SIGN_RAW_PAYLOAD_V2",
      alice.organizationId,
      signParams(alice.address),
    ] as const
    await client.submit(target.open(credentialBundle), ...sign)
    t.match(await attempt({ oidcToken, targetPublicKey }), { code: "OIDC_TOKEN_USED" }, "again")
    const spent = attestedKey(fixture)
    await client.submit(alice.root, "ACTIVITY_TYPE_OAUTH_LOGIN", alice.organizationId, oauthParams(spent))
    const asTarget = { oidcToken: spent.token, targetPublicKey: spent.key.publicKeyHex }
    t.match(await attempt(asTarget), { code: "TARGET_KEY_INVALID" }, "a token of oauth_login names no target")
  },
)
