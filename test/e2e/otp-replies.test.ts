import { existsSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { encryptOtpCodeToBundle, verifyOtpVerificationToken } from "@turnkey/crypto"
import { Turnkey } from "@turnkey/sdk-server"
import t from "tap"
import { DocumentedApi } from "../harness/documented-api.ts"
import { sharedFetchingSystem } from "../harness/shared-system.ts"
import { newKey } from "../harness/stamper.ts"
import { clientSignature, loginUsage } from "../harness/verification.ts"
import { privateKeyHex } from "../harness/system.ts"
import { requireAnswered } from "./replies/asked-by.ts"

t.test("one-time codes through all processes", async (t) => {
  const { system } = await sharedFetchingSystem()
  const api = await DocumentedApi.of(system)
  const { send, submit, query, organizationId, root, rootUserId } = api
  const client = new Turnkey({
    apiBaseUrl: system.url,
    apiPublicKey: root.publicKeyHex,
    apiPrivateKey: privateKeyHex(root),
    defaultOrganizationId: organizationId,
  }).apiClient()
  const outbox = join(system.directory, "fetcher", "outbox.jsonl")
  const lines = () => (existsSync(outbox) ? readFileSync(outbox, "utf8").trim().split("\n") : [])
  /** Messages of other tests. */
  const others = lines().length
  const sent = () =>
    lines()
      .slice(others)
      .map((line) => JSON.parse(line) as { to: string; subject: string; text: string; html: string })
  const newestCode = () => /\b[0-9A-Z]{6,9}\b/.exec(sent().at(-1)!.text)![0]
  const fetcherKey = String((await system.send("/public/v1/pins", {})).json["fetcherPublicKey"]).slice(130)
  const ask = { otpType: "OTP_TYPE_EMAIL", contact: "ann@example.com", appName: "Acme" }

  t.test("are off at first", async (t) => {
    const { status, json } = await send("INIT_OTP_V3", ask)
    t.match({ status, json }, { status: 403, json: { code: 7, message: /^OTP disallowed/ } })
    const feature = { name: "FEATURE_NAME_OTP_EMAIL_AUTH", value: "" }
    await submit("SET_ORGANIZATION_FEATURE", feature)
  })

  t.test("a code in clear", async (t) => {
    const { appName, ...first } = ask
    for (const [version, parameters] of [
      ["INIT_OTP", { ...first, emailCustomization: { appName } }],
      ["INIT_OTP_V2", ask],
    ] as const) {
      const { otpId } = await submit(version, parameters)
      const token = await submit("VERIFY_OTP", { otpId, otpCode: newestCode() })
      t.match(token, { verificationToken: /^eyJ/ }, version)
    }
  })

  t.test("a sealed code and a login with it, by the published client", async (t) => {
    const key = newKey()
    const { publicKeyHex } = key
    const { otpId, otpEncryptionTargetBundle } = await client.initOtp({
      ...ask,
      otpType: "OTP_TYPE_EMAIL",
      otpLength: 6,
      alphanumeric: false,
    })
    const encryptedOtpBundle = await encryptOtpCodeToBundle(
      newestCode(),
      otpEncryptionTargetBundle,
      publicKeyHex,
      fetcherKey,
    )
    const { verificationToken } = await client.verifyOtp({ otpId, encryptedOtpBundle })
    t.match(await verifyOtpVerificationToken(verificationToken, fetcherKey), {
      organization_id: organizationId,
      contact: "ann@example.com",
      public_key: publicKeyHex,
    })
    await submit("UPDATE_USER_EMAIL", { userId: rootUserId, userEmail: "ann@example.com" })
    const { id } = await verifyOtpVerificationToken(verificationToken, fetcherKey)
    const signature = clientSignature(key, loginUsage(id, publicKeyHex))
    const login = { verificationToken, publicKey: publicKeyHex, clientSignature: signature }
    t.match(await submit("OTP_LOGIN_V2", login), { session: /^eyJ/ })
    t.match((await system.query("whoami", { organizationId }, key)).json, { userId: rootUserId })
  })

  t.test("the types of a sealed code have their results", async (t) => {
    const key = newKey()
    const { publicKeyHex: publicKey } = key
    const { otpId, otpEncryptionTargetBundle } = await submit("INIT_OTP_V3", ask)
    const target = String(otpEncryptionTargetBundle)
    const encryptedOtpBundle = await encryptOtpCodeToBundle(newestCode(), target, publicKey, fetcherKey)
    const { verificationToken } = await submit("VERIFY_OTP_V2", { otpId, encryptedOtpBundle })
    const { id } = await verifyOtpVerificationToken(String(verificationToken), fetcherKey)
    const signature = clientSignature(key, loginUsage(id, publicKey))
    const login = { verificationToken, publicKey, clientSignature: signature }
    t.match(await submit("OTP_LOGIN", login), { session: /^eyJ/ })
  })

  t.test("a wrong code, and too many codes, have the texts and codes that clients match", async (t) => {
    const { otpId } = await submit("INIT_OTP_V2", ask)
    const right = newestCode()
    const wrong = (right.startsWith("2") ? "3" : "2") + right.slice(1)
    for (let round = 0; round < 3; round++) {
      const { status, json } = await send("VERIFY_OTP", { otpId, otpCode: wrong })
      t.match({ status, json }, { status: 400, json: { code: 3, message: "Invalid OTP code" } })
    }
    await submit("INIT_OTP_V2", ask)
    await submit("INIT_OTP_V2", ask)
    const { status, json } = await send("INIT_OTP_V2", ask)
    t.match(
      { status, json },
      {
        status: 400,
        json: {
          code: 3,
          message: "Max number of OTPs have been initiated please wait and try again",
          turnkeyErrorCode: "MAX_OTP_INITIATED",
          details: [{ turnkeyErrorCode: "MAX_OTP_INITIATED" }],
        },
      },
    )
  })

  t.test("a template is stored, listed and sent, and its digest is of what is stored", async (t) => {
    const template = {
      templateName: "Codes",
      templateType: "EMAIL_TEMPLATE_TYPE_OTP",
      // The longest one, of characters that take the most bytes.
      html: `<p>{{ .OtpCode }} é</p>${"€".repeat(32_768 - 23)}`,
      text: "Hello {{ .OtpCode }}",
      subject: "{{ .AppName }}: your code",
    }
    const made = await submit("CREATE_EMAIL_TEMPLATE", template)
    const { emailTemplates } = await query("list_email_templates")
    t.match(emailTemplates, [{ ...made, ...template, organizationId, digest: /^[0-9a-f]{64}$/ }])
    await submit("INIT_OTP_V3", { ...ask, contact: "bob@example.com" })
    t.match(sent().at(-1), {
      subject: "Acme: your code",
      text: /^Hello [0-9A-Z]{9}$/,
      html: /^<p>[0-9A-Z]{9} é<\/p>€{32745}$/,
    })
    await submit("DELETE_EMAIL_TEMPLATE", made)
    t.match(await query("list_email_templates"), { emailTemplates: [] })
  })

  t.test("no code is in a log", async (t) => {
    const codes = sent().map(({ text }) => /\b[0-9A-Z]{6,9}\b/.exec(text)![0])
    t.equal(codes.length, 8)
    for (const name of ["signer", "fetcher", "api"] as const)
      for (const code of codes) t.notMatch(system.logOf(name), code)
    t.match(system.logOf("fetcher"), /its reader can log in as anybody/)
  })

  requireAnswered(t, api, "otp")
})
