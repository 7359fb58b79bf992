import { readFileSync } from "node:fs"
import { join } from "node:path"
import { Turnkey } from "@turnkey/sdk-server"
import t from "tap"
import { nonceOf } from "../harness/attested.ts"
import { Target } from "../harness/credential-target.ts"
import { DocumentedApi } from "../harness/documented-api.ts"
import { sharedFetchingSystem } from "../harness/shared-system.ts"
import type { TestKey } from "../harness/stamper.ts"
import { privateKeyHex } from "../harness/system.ts"
import { requireAnswered } from "./replies/asked-by.ts"

t.test("sessions for codes and tokens, sealed to published clients, through all processes", async (t) => {
  const { system, provider } = await sharedFetchingSystem()
  const api = await DocumentedApi.of(system)
  const { send, submit, organizationId, root, rootUserId } = api
  const clientOf = (key: TestKey) =>
    new Turnkey({
      apiBaseUrl: system.url,
      apiPublicKey: key.publicKeyHex,
      apiPrivateKey: privateKeyHex(key),
      defaultOrganizationId: organizationId,
    }).apiClient()
  const client = clientOf(root)
  const newest = () =>
    JSON.parse(
      readFileSync(join(system.directory, "fetcher", "outbox.jsonl"), "utf8")
        .trim()
        .split("\n")
        .at(-1)!,
    ) as { to: string; subject: string; text: string }
  const newestCode = () => /\b[0-9A-Z]{6,9}\b/.exec(newest().text)![0]
  const contact = "ann@example.com"
  for (const name of ["FEATURE_NAME_OTP_EMAIL_AUTH", "FEATURE_NAME_SMS_AUTH"])
    await submit("SET_ORGANIZATION_FEATURE", { name, value: "" })
  await submit("UPDATE_USER_EMAIL", { userId: rootUserId, userEmail: contact })

  t.test("a published client exchanges a code, and stamps with the key of its bundle", async (t) => {
    const target = new Target()
    const { targetPublicKey } = target
    const { otpId } = await client.initOtpAuth({ otpType: "OTP_TYPE_EMAIL", contact, appName: "Acme" })
    t.match(newest(), { to: contact, subject: "Sign in to Acme" })
    const reply = await client.otpAuth({ otpId, otpCode: newestCode(), targetPublicKey })
    t.equal(reply.userId, rootUserId)
    const session = clientOf(target.open(reply.credentialBundle ?? ""))
    t.match(await session.getWhoami({}), { userId: rootUserId, organizationId })
    const { apiKeys } = await client.getApiKeys({ userId: rootUserId })
    const type = "CREDENTIAL_TYPE_OTP_AUTH_KEY_P256"
    t.match(
      apiKeys.find(({ apiKeyId }) => apiKeyId === reply.apiKeyId),
      { credential: { type }, apiKeyName: /^OTP Auth - /, expirationSeconds: "900" },
    )
  })

  t.test("the versions have the results of their types", async (t) => {
    const asked = { otpType: "OTP_TYPE_EMAIL", contact }
    const { targetPublicKey } = new Target()
    const { otpId } = await submit("INIT_OTP_AUTH", asked)
    t.match(await submit("OTP_AUTH", { otpId, otpCode: newestCode(), targetPublicKey }), {
      userId: rootUserId,
    })
    await submit("INIT_OTP_AUTH_V2", { ...asked, otpLength: 6, alphanumeric: false })
    t.match(newestCode(), /^[0-9]{6}$/)
    await submit("INIT_OTP_AUTH_V3", { ...asked, appName: "Acme" })
    await submit("INIT_OTP_AUTH", asked)
    t.match((await send("INIT_OTP_AUTH", asked)).json, {
      message: "Max number of OTPs have been initiated please wait and try again",
      turnkeyErrorCode: "MAX_OTP_INITIATED",
    })
    const wrong = { otpId, otpCode: "000000000", targetPublicKey }
    t.match(await send("OTP_AUTH", wrong), { status: 400, json: { message: "Invalid OTP code" } })
  })

  t.test("a published client exchanges a token of a real login", async (t) => {
    const oauthProviders = [{ providerName: "Example", oidcToken: await provider.idToken("app", "alice") }]
    await submit("CREATE_OAUTH_PROVIDERS_V2", { userId: rootUserId, oauthProviders })
    const target = new Target()
    const { targetPublicKey } = target
    const oidcToken = await provider.idToken("app", "alice", nonceOf({ publicKeyHex: targetPublicKey }))
    const reply = await client.oauth({ oidcToken, targetPublicKey })
    const session = clientOf(target.open(reply.credentialBundle))
    t.match(await session.getWhoami({}), { userId: rootUserId })
    const { apiKeys } = await client.getApiKeys({ userId: rootUserId })
    t.match(
      apiKeys.find(({ apiKeyId }) => apiKeyId === reply.apiKeyId),
      { credential: { type: "CREDENTIAL_TYPE_OAUTH_KEY_P256" }, apiKeyName: /^Oauth - / },
    )
    const other = new Target()
    const nonce = nonceOf({ publicKeyHex: other.targetPublicKey })
    const again = {
      oidcToken: await provider.idToken("app", "alice", nonce),
      targetPublicKey: other.targetPublicKey,
    }
    t.match(await submit("OAUTH", again), { userId: rootUserId })
  })

  requireAnswered(t, api, "sealed-login")
})
