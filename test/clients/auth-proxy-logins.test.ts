// Logins through the auth proxy, by the running processes: the document's spellings and those of @turnkey/core before 2.7.
import { sign } from "node:crypto"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import {
  encryptOtpCodeToBundle,
  verifyOtpVerificationToken,
  verifySessionJwtSignature,
} from "@turnkey/crypto"
import t from "tap"
import { TurnkeyClient } from "@turnkey/http"
import { CONTACT_SCHEME } from "../../signer/core/stamp/attested.ts"
import { apiKey } from "../harness/api-client.ts"
import { AttestedKey, attestedStamper, nonceOf } from "../harness/attested.ts"
import { otherCode } from "../harness/otp.ts"
import { patienceMs } from "../harness/patience.ts"
import { newKey, type TestKey } from "../harness/stamper.ts"
import { clientSignature, loginUsage } from "../harness/verification.ts"
import { APP, proxiedSystem } from "./proxied-system.ts"
import { httpOf } from "./published.ts"

const INVALID_CODE = { status: 400, json: { code: 3, message: "Invalid OTP code" } }

t.test("logins through the auth proxy:", async (t) => {
  const { system, provider, organizationId, submit, post, done, newestCode, ...proxied } =
    await proxiedSystem()
  const { fetcherKey, notarizerKey, plainToken: tokenFor } = proxied
  /** A person who signed up with an e-mail address beside a key. */
  const signUp = async (userEmail: string) => {
    const { organizationId: subOrganizationId, userId } = await done("signup", {
      userEmail,
      apiKeys: [apiKey(newKey())],
    })
    return { organizationId: subOrganizationId!, userId }
  }
  const signedToken = (token: string, key: TestKey) =>
    sign("sha256", Buffer.from(token), key.privateKey).toString("hex")

  t.test("a code in the document's spellings opens a session of the configured length", async (t) => {
    const ann = await signUp("ann@example.com")
    const key = newKey()
    const verificationToken = await tokenFor("ann@example.com", key)
    const login = {
      verificationToken,
      publicKey: key.publicKeyHex,
      client_signature: signedToken(verificationToken, key),
      organizationId: ann.organizationId,
    }
    const session = (await done("otp_login", login))["session"]!
    t.ok(await verifySessionJwtSignature(session, notarizerKey))
    const claims = JSON.parse(Buffer.from(session.split(".")[1]!, "base64url").toString()) as { exp: number }
    t.match(claims, {
      public_key: key.publicKeyHex,
      organization_id: ann.organizationId,
      user_id: ann.userId,
    })
    t.ok(claims.exp <= Date.now() / 1000 + 600)
    t.match(await httpOf(system, key).getWhoami({ organizationId: ann.organizationId }), ann)
    t.match(await post("otp_login", login), {
      status: 401,
      json: { code: 16, message: /^this verification token has opened a session before/ },
    })
  })

  t.test("sign-up with a contact alone, then login, with the document's own fields", async (t) => {
    const contact = "zoe@example.com"
    const login = async () => {
      const key = newKey()
      const { otpId } = await done("otp_init", { otpType: "OTP_TYPE_EMAIL", contact })
      const code = { otpId, otpCode: newestCode(), public_key: key.publicKeyHex }
      const { verificationToken } = await done("otp_verify", code)
      const client_signature = signedToken(verificationToken!, key)
      const reply = await post("otp_login", {
        verificationToken,
        publicKey: key.publicKeyHex,
        client_signature,
      })
      if (reply.status !== 200) return reply
      const { session } = reply.json as { session: string }
      t.ok(await verifySessionJwtSignature(session, notarizerKey))
      const claims = JSON.parse(Buffer.from(session.split(".")[1]!, "base64url").toString()) as {
        organization_id: string
      }
      return { organizationId: claims.organization_id }
    }
    const found = () => done("account", { filterType: "EMAIL", filterValue: contact })
    const strangers = apiKey(newKey())
    await done("signup", { userName: "mallory", userEmail: contact, apiKeys: [strangers] })
    t.match(await login(), { status: 404 }, "an organization with another login method is not the contact's")
    t.same(await found(), {})
    const { organizationId: first } = await done("signup", { userName: "zoe", userEmail: contact })
    const { organizationId: second } = await done("signup", { userName: "zoe again", userEmail: contact })
    t.not(second, first)
    t.same(await found(), { organizationId: first }, "the older of two")
    t.same(await login(), { organizationId: first })
    t.same(await login(), { organizationId: first }, "proven by the first login")
    const key = newKey()
    const named = {
      verificationToken: await tokenFor(contact, key),
      publicKey: key.publicKeyHex,
      organizationId: second,
    }
    const client_signature = signedToken(named.verificationToken, key)
    t.match(await post("otp_login", { ...named, client_signature }), { status: 200 }, "nobody is locked out")
    t.match(await login(), { status: 401, json: { message: /more than one suborg/ } }, "both are proven now")
  })

  t.test("a sealed code and its login, as the published client sends them", async (t) => {
    const ben = await signUp("ben@example.com")
    const key = newKey()
    const { publicKeyHex: publicKey } = key
    const { otpId, otpEncryptionTargetBundle } = await done("otp_init_v2", {
      otpType: "OTP_TYPE_EMAIL",
      contact: "ben@example.com",
    })
    const encryptedOtpBundle = await encryptOtpCodeToBundle(
      newestCode(),
      otpEncryptionTargetBundle!,
      publicKey,
      fetcherKey,
    )
    const { verificationToken } = await done("otp_verify_v2", { otpId, encryptedOtpBundle })
    const { id } = await verifyOtpVerificationToken(verificationToken!, fetcherKey)
    const signature = clientSignature(key, loginUsage(id, publicKey))
    const login = { verificationToken, publicKey, clientSignature: signature, invalidateExisting: false }
    t.match(await post("otp_login_v2", login), {
      status: 404,
      json: { message: /^no organization found with the proven contact/ },
    })
    const { session } = await done("otp_login_v2", { ...login, organizationId: ben.organizationId })
    t.ok(await verifySessionJwtSignature(session!, notarizerKey))
    t.match(await httpOf(system, key).getWhoami({ organizationId: ben.organizationId }), ben)
  })

  t.test(
    "a client since 2.7 logs in at the API with the token itself, also by the parent's id",
    async (t) => {
      const ida = await signUp("ida@example.com")
      const there = { organizationId: ida.organizationId }
      const attested = async () => {
        const key = newKey()
        const by = new AttestedKey(key, await tokenFor("ida@example.com", key), CONTACT_SCHEME)
        return { key, by, client: new TurnkeyClient({ baseUrl: system.url }, attestedStamper(by)) }
      }
      const login = (publicKey: string) => ({
        type: "ACTIVITY_TYPE_STAMP_LOGIN" as const,
        timestampMs: String(Date.now()),
        parameters: { publicKey, expirationSeconds: "86400", invalidateExisting: false },
      })
      const { key, client, by } = await attested()
      t.match(await client.getWhoami(there), ida, "who would log in")
      const request = { ...login(key.publicKeyHex), ...there }
      const { activity } = await client.stampLogin(request)
      t.match(activity, { ...there, status: "ACTIVITY_STATUS_COMPLETED" })
      t.match(activity.votes, [{ publicKey: key.publicKeyHex, scheme: CONTACT_SCHEME }])
      const { session } = activity.result.stampLoginResult!
      t.ok(await verifySessionJwtSignature(session, notarizerKey))
      const claims = JSON.parse(Buffer.from(session.split(".")[1]!, "base64url").toString()) as {
        exp: number
      }
      t.ok(claims.exp <= Date.now() / 1000 + 600, "the configured length")
      t.match(await httpOf(system, key).getWhoami(there), ida)
      t.match(await client.getActivity({ ...there, activityId: activity.id }), {
        activity: { id: activity.id },
      })
      await t.rejects(client.getUsers(there), { message: /attested stamp/ })
      t.match(
        await client.stampLogin(request),
        { activity: { id: activity.id } },
        "the same body, sent again",
      )
      const another = client.stampLogin({ ...request, ...login(newKey().publicKeyHex) })
      await t.rejects(another, { message: /this verification token has opened a session before/ })
      const forged = new AttestedKey(key, `${by.token.slice(0, -6)}AAAAAA`, CONTACT_SCHEME)
      const thief = new TurnkeyClient({ baseUrl: system.url }, attestedStamper(forged))
      await t.rejects(thief.getWhoami(there), { message: /invalid verification token/ })

      const next = await attested()
      const named = { ...login(next.key.publicKeyHex), organizationId }
      t.match(await next.client.stampLogin(named), {
        activity: { ...there, status: "ACTIVITY_STATUS_COMPLETED" },
      })
      t.match(await httpOf(system, next.key).getWhoami(there), ida)
    },
  )

  t.test("a token opens nothing with another key, nor where its contact is nobody's", async (t) => {
    const cleo = await signUp("cleo@example.com")
    const stranger = await signUp("dan@example.com")
    const [key, thief] = [newKey(), newKey()]
    const verificationToken = await tokenFor("cleo@example.com", key)
    const stolen = { verificationToken, publicKey: thief.publicKeyHex }
    const invalid = { status: 400, json: { message: /^invalid client signature/ } }
    const there = { organizationId: cleo.organizationId }
    t.match(await post("otp_login", { ...stolen, ...there }), invalid, "no signature")
    for (const by of [key, thief])
      t.match(
        await post("otp_login", {
          ...stolen,
          ...there,
          client_signature: signedToken(verificationToken, by),
        }),
        invalid,
      )
    const own = {
      verificationToken,
      publicKey: key.publicKeyHex,
      client_signature: signedToken(verificationToken, key),
    }
    t.match(await post("otp_login", { ...own, organizationId: stranger.organizationId }), {
      status: 404,
      json: { message: /^no user of organization/ },
    })
    t.match(await post("otp_login", { ...own, organizationId }), { status: 403 }, "the parent itself")
    const forged = `${verificationToken.slice(0, -6)}AAAAAA`
    t.match(await post("otp_login", { ...own, ...there, verificationToken: forged }), {
      status: 401,
      json: { message: /^invalid verification token/ },
    })
    t.match(await done("otp_login", { ...own, ...there }), { session: /^eyJ/ }, "the unaltered twin")
  })

  t.test("a wrong code, a locked one and too many codes have the texts that clients match", async (t) => {
    const ask = { otpType: "OTP_TYPE_EMAIL", contact: "eve@example.com" }
    const { otpId } = await done("otp_init", ask)
    const otpCode = newestCode()
    for (let attempt = 0; attempt < 3; attempt++)
      t.match(await post("otp_verify", { otpId, otpCode: otherCode(otpCode) }), INVALID_CODE)
    t.match(await post("otp_verify", { otpId, otpCode }), INVALID_CODE, "the right code, too late")
    await done("otp_init", ask)
    await done("otp_init", ask)
    const { status, headers, json } = await post("otp_init", ask)
    t.equal(status, 400)
    t.equal(headers.get("access-control-allow-origin"), APP)
    t.match(json, {
      code: 3,
      message: /^Max number of OTPs have been initiated/,
      turnkeyErrorCode: "MAX_OTP_INITIATED",
    })
    t.match(await post("otp_init", { ...ask, otpType: "OTP_TYPE_SMS", contact: "+15551234567" }), {
      status: 403,
      json: { message: /^OTP disallowed/ },
    })
  })

  t.test("an identity signs up and logs in, once with each token, when oidc is on", async (t) => {
    const key = newKey()
    const oidcToken = await provider.idToken("app", "fay", nonceOf(key))
    const oauthProviders = [{ providerName: "idp", oidcToken }]
    const fay = await done("signup", { userName: "fay", oauthProviders })
    const filter = { filterType: "OIDC_TOKEN", filterValue: oidcToken }
    t.same((await post("account", filter)).json, { organizationId: fay["organizationId"] })
    const login = { oidcToken, publicKey: key.publicKeyHex, invalidateExisting: false }
    t.match(await post("oauth_login", login), { status: 403, json: { message: /^OAUTH disallowed/ } })
    const methods = { allowedAuthMethods: ["email", "oidc"] }
    await submit("update_auth_proxy_config", "UPDATE_AUTH_PROXY_CONFIG", methods)
    const giveUp = performance.now() + patienceMs(30_000)
    let reply = await post("oauth_login", { ...login, publicKey: newKey().publicKeyHex })
    while (reply.status === 403 && performance.now() < giveUp)
      reply = await post("oauth_login", { ...login, publicKey: newKey().publicKeyHex })
    t.match(reply, { status: 400, json: { message: /^oidc nonce does not match/ } }, "another key")
    const { session } = await done("oauth_login", login)
    t.ok(await verifySessionJwtSignature(session!, notarizerKey))
    const there = { organizationId: fay["organizationId"]! }
    t.match(await httpOf(system, key).getWhoami(there), { ...there, userId: fay["userId"] })
    t.match(await post("oauth_login", login), {
      json: { message: /^this OIDC token has opened a session here before/ },
    })
    const unknown = newKey()
    const nobody = await provider.idToken("app", "gus", nonceOf(unknown))
    t.match(await post("oauth_login", { oidcToken: nobody, publicKey: unknown.publicKeyHex }), {
      status: 404,
      json: { message: /^no organization found with the identity/ },
    })
  })

  t.test("of another origin, without a configuration, or disabled, nothing is sent", async (t) => {
    const ask = { otpType: "OTP_TYPE_EMAIL", contact: "hal@example.com" }
    for (const origin of ["https://evil.example", "null", `${APP}.evil.example`, `${APP}:8443`]) {
      const { status, headers } = await post("otp_init", ask, { origin })
      t.same([status, headers.get("access-control-allow-origin")], [403, null], origin)
    }
    t.match(await post("otp_init", ask, { "X-Auth-Proxy-Config-ID": "" }), {
      status: 400,
      json: { message: /^missing X-Auth-Proxy-Config-Id/ },
    })
    await submit("disable_auth_proxy", "DISABLE_AUTH_PROXY", {})
    const operations = ["otp_verify", "otp_verify_v2", "otp_login", "otp_login_v2", "oauth_login", "otp_init"]
    for (const operation of operations) {
      const giveUp = performance.now() + patienceMs(30_000)
      let reply = await post(operation, {})
      while (reply.status === 400 && performance.now() < giveUp) reply = await post(operation, {})
      t.match(reply, { status: 403, json: { message: /^auth proxy is disabled/ } }, operation)
    }
    const outbox = readFileSync(join(system.directory, "fetcher", "outbox.jsonl"), "utf8")
    t.notMatch(outbox, "hal@example.com")
  })
})
