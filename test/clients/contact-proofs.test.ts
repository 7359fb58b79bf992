// Look-ups by contact that need a proof, by the running processes: the signer states the setting and the fetcher's key, the
// fetcher signs the proof, and the auth proxy verifies it (docs/choices C-1051).
import { setTimeout as pause } from "node:timers/promises"
import t from "tap"
import { newKey } from "../harness/stamper.ts"
import type { Json } from "../harness/system.ts"
import { loginBody, signUpBody } from "./client-messages.ts"
import { proxiedSystem } from "./proxied-system.ts"

const CONTACT = "ann@example.com"
const NEEDS_PROOF = { status: 403, json: { code: 7, message: /^verification token required/ } }
const NOT_GENUINE = { status: 401, json: { code: 16, message: /^invalid verification token/ } }

/** A reply without the ids of its request. */
function withoutIds(reply: Json): unknown {
  return JSON.parse(
    JSON.stringify(reply).replaceAll(/"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}"/g, '"id"'),
  )
}

t.test("look-ups by contact that need a proof:", async (t) => {
  const { system, submit, post, done, ...proxied } = await proxiedSystem()
  const { plainToken, sealedToken } = proxied
  const lookUp = (filterValue: string, members: object = {}) =>
    post("account", { filterType: "EMAIL", filterValue, ...members })
  /** Changes the setting, and waits until the proxy has read it: it uses a configuration for two seconds. */
  const require = async (isRequired: boolean) => {
    const settings = { verificationTokenRequiredForGetAccountPii: isRequired }
    await submit("update_auth_proxy_config", "UPDATE_AUTH_PROXY_CONFIG", settings)
    const expected = isRequired ? 403 : 200
    while ((await lookUp("probe@example.com")).status !== expected) await pause(100)
  }
  const key = newKey()
  const ownToken = await sealedToken(CONTACT, key)
  const signedUp = await done("signup_v2", signUpBody(ownToken, key, CONTACT))
  const found = { status: 200, json: { organizationId: signedUp["organizationId"] } }

  t.test("without the setting anybody may ask", async (t) => {
    t.match(await lookUp(CONTACT), found)
    t.match(await lookUp("nobody@example.com"), { status: 200, json: {} })
  })

  t.test("X5: strangers get the same refusal for known and unknown contacts", async (t) => {
    await require(true)
    const [known, unknown] = [await lookUp(CONTACT), await lookUp("nobody@example.com")]
    t.match(known, NEEDS_PROOF)
    t.same(withoutIds(unknown.json), withoutIds(known.json))
    t.match(await post("account", { filterType: "PHONE_NUMBER", filterValue: "+15551234567" }), NEEDS_PROOF)
  })

  t.test(
    "the token of a code for the contact is proof, in clear and sealed, and can be used again",
    async (t) => {
      t.match(await lookUp(CONTACT, { verificationToken: await plainToken(CONTACT, newKey()) }), found)
      const another = newKey()
      const verificationToken = await sealedToken(CONTACT, another)
      for (let round = 0; round < 2; round++) t.match(await lookUp(CONTACT, { verificationToken }), found)
      t.match(await lookUp(CONTACT.toUpperCase(), { verificationToken }), found)
      const login = loginBody(verificationToken, another)
      t.match(await post("otp_login_v2", login), { status: 200 }, "a look-up spends nothing of the token")
      t.match(await lookUp(CONTACT, { verificationToken: ownToken }), found, "the token of the sign-up")
    },
  )

  t.test("X5: a token for another contact, or one that anybody altered, is none", async (t) => {
    const verificationToken = await sealedToken("eve@example.com", newKey())
    t.match(await lookUp("eve@example.com", { verificationToken }), { status: 200, json: {} })
    t.match(await lookUp(CONTACT, { verificationToken }), NEEDS_PROOF)
    const [header, payload = "", signature] = verificationToken.split(".")
    const claims = JSON.parse(Buffer.from(payload, "base64url").toString()) as Json
    const forged = Buffer.from(JSON.stringify({ ...claims, contact: CONTACT })).toString("base64url")
    t.match(await lookUp(CONTACT, { verificationToken: `${header}.${forged}.${signature}` }), NOT_GENUINE)
    const oidcToken = await proxied.provider.idToken("app", "ann", "any")
    t.match(await lookUp(CONTACT, { oidcToken }), NEEDS_PROOF, "the proxy knows the keys of no issuer")
  })

  t.test("X5: a token of another organization of the deployment is none", async (t) => {
    const other = await system.createOrganization()
    const body = (type: string, parameters: object) => system.body(type, other.organizationId, parameters)
    const feature = { name: "FEATURE_NAME_OTP_EMAIL_AUTH", value: "" }
    await system.submit("set_organization_feature", body("SET_ORGANIZATION_FEATURE", feature), other.root)
    const ask = { otpType: "OTP_TYPE_EMAIL", contact: CONTACT, appName: "Other", otpLength: 7 }
    const asked = (await system.submit("init_otp", body("INIT_OTP_V2", ask), other.root))["result"] as Json
    const { otpId } = asked["initOtpResult"] as { otpId: string }
    const code = { otpId, otpCode: proxied.newestCode() }
    const made = (await system.submit("verify_otp", body("VERIFY_OTP", code), other.root))["result"] as Json
    const { verificationToken } = made["verifyOtpResult"] as { verificationToken: string }
    t.match(await lookUp(CONTACT, { verificationToken }), NOT_GENUINE)
  })

  t.test(
    "credentials and tokens are looked up without a proof, and contacts again without the setting",
    async (t) => {
      t.match(await post("account", { filterType: "PUBLIC_KEY", filterValue: newKey().publicKeyHex }), {
        status: 200,
        json: {},
      })
      await require(false)
      t.match(await lookUp(CONTACT), found)
    },
  )
})
