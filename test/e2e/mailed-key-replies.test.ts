import { TurnkeyClient } from "@turnkey/http"
import { ApiKeyStamper } from "@turnkey/api-key-stamper"
import t from "tap"
import { userParams } from "../harness/api-client.ts"
import { Passkey } from "../harness/authenticator.ts"
import { Target } from "../harness/credential-target.ts"
import { freshDatabase } from "../harness/database.ts"
import { DocumentedApi } from "../harness/documented-api.ts"
import { mailServer } from "../harness/mail-server.ts"
import { bundleIn, mailTo } from "../harness/mailed-keys.ts"
import { MAIL } from "../harness/otp.ts"
import { newKey, type TestKey } from "../harness/stamper.ts"
import { type Json, privateKeyHex, System } from "../harness/system.ts"
import { requireAnswered } from "./replies/asked-by.ts"

t.test("keys that are mailed, through all processes and a real mail server", async (t) => {
  const mails = await mailServer()
  t.teardown(() => mails.close())
  const { url } = await freshDatabase(t)
  const system = await System.startWithFetcher(url, [], {
    COUNTERSIGN_FETCHER_SMTP_URL: `smtp://127.0.0.1:${mails.port}`,
    COUNTERSIGN_FETCHER_MAIL_FROM: "login@acme.example",
  })
  t.teardown(() => system.stop())
  const api = await DocumentedApi.of(system)
  const { send, submit, ask, organizationId, root, rootUserId: userId } = api
  const clientOf = (key: TestKey) =>
    new TurnkeyClient(
      { baseUrl: system.url },
      new ApiKeyStamper({ apiPublicKey: key.publicKeyHex, apiPrivateKey: privateKeyHex(key) }),
    )
  /** The newest mail; its lines were folded for transport (RFC 2045, section 6.7). */
  const newest = () => {
    const { to, message } = mails.mails.at(-1)!
    return { to, text: message.replaceAll("=\r\n", "") }
  }
  for (const name of ["EMAIL_AUTH", "EMAIL_RECOVERY", "ROOT_USER_EMAIL_RECOVERY"])
    await submit("SET_ORGANIZATION_FEATURE", {
      name: `FEATURE_NAME_${name}`,
      value: "",
    })
  await submit("UPDATE_USER_EMAIL", { userId, userEmail: MAIL })

  t.test("a published client has a key mailed, opens it, and stamps with it", async (t) => {
    const target = new Target()
    const { activity } = await clientOf(root).emailAuth({
      type: "ACTIVITY_TYPE_EMAIL_AUTH_V3",
      timestampMs: String(Date.now()),
      organizationId,
      parameters: mailTo(target, { emailCustomization: { appName: "Acme" } }) as never,
    })
    const result = (activity.result as Json)["emailAuthResult"] as Json
    t.equal(result["userId"], userId)
    t.strictSame(newest().to, [MAIL])
    const key = target.open(bundleIn(newest()))
    t.match(await clientOf(key).getWhoami({ organizationId }), { userId })
    const { apiKeys } = await clientOf(root).getApiKeys({ organizationId, userId })
    const shown = {
      credential: { type: "CREDENTIAL_TYPE_EMAIL_AUTH_KEY_P256" },
      apiKeyName: /^Email Auth - /,
    }
    t.match(
      apiKeys.find(({ apiKeyId }) => apiKeyId === result["apiKeyId"]),
      shown,
    )
    t.match(await submit("EMAIL_AUTH", mailTo(new Target())), { userId })
  })

  t.test("other versions have the results of their types", async (t) => {
    const bob = { ...userParams("bob", newKey()), userEmail: "bob@example.com" }
    const { userIds } = await submit("CREATE_USERS_V4", { users: [bob] })
    const changes = { email: bob.userEmail, emailCustomization: { appName: "Acme" } }
    for (const version of ["EMAIL_AUTH_V2", "EMAIL_AUTH_V3", "INIT_USER_EMAIL_RECOVERY_V2"])
      t.match(
        await submit(version, mailTo(new Target(), changes)),
        { userId: (userIds as string[])[0] },
        version,
      )
  })

  t.test("a recovery key adds a passkey, reads nothing, and signs nothing", async (t) => {
    const target = new Target()
    const init = await submit("INIT_USER_EMAIL_RECOVERY", mailTo(target))
    t.strictSame(init, { userId })
    const key = target.open(bundleIn(newest()))
    t.match(await ask("whoami", {}, { key }), {
      status: 403,
      json: { message: /^a recovery key adds a passkey/ },
    })
    t.match(await send("CREATE_WALLET", { walletName: "W", accounts: [] }, { key }), { status: 403 })
    const parameters = { userId, authenticator: new Passkey().create() }
    const { authenticatorId } = await submit("RECOVER_USER", parameters, { key })
    const { authenticators } = await clientOf(root).getAuthenticators({ organizationId, userId })
    t.match(authenticators, [{ authenticatorId: (authenticatorId as string[])[0] }])
  })

  t.test("off again, and in no log", async (t) => {
    for (const name of ["api", "signer", "fetcher"] as const)
      for (const { message } of mails.mails)
        t.notMatch(system.logOf(name), bundleIn({ text: message.replaceAll("=\r\n", "") }))
    await submit("REMOVE_ORGANIZATION_FEATURE", {
      name: "FEATURE_NAME_EMAIL_AUTH",
    })
    const { status, json } = await send("EMAIL_AUTH", mailTo(new Target()))
    t.match({ status, json }, { status: 403, json: { message: /^EMAIL_AUTH disallowed/ } })
  })

  requireAnswered(t, api, "mailed-key")
})
