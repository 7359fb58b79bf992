import { readFileSync } from "node:fs"
import { join } from "node:path"
import { encryptOtpCodeToBundle, verifyOtpVerificationToken } from "@turnkey/crypto"
import { Turnkey } from "@turnkey/sdk-server"
import t from "tap"
import { requireQueryReply, requireResult } from "../contract/replies.ts"
import { freshDatabase } from "../harness/database.ts"
import { newKey } from "../harness/stamper.ts"
import { clientSignature, loginUsage } from "../harness/verification.ts"
import { type Json, privateKeyHex, System } from "../harness/system.ts"

t.test("one-time codes through all processes", async (t) => {
  const { url } = await freshDatabase(t)
  const system = await System.startWithFetcher(url, [], { COUNTERSIGN_FETCHER_OUTBOX: "true" })
  t.teardown(() => system.stop())
  const { organizationId, root, rootUserId } = await system.createOrganization()
  const client = new Turnkey({
    apiBaseUrl: system.url,
    apiPublicKey: root.publicKeyHex,
    apiPrivateKey: privateKeyHex(root),
    defaultOrganizationId: organizationId,
  }).apiClient()
  const submit = (path: string, type: string, parameters: object) =>
    system.post(`submit/${path}`, system.body(type, organizationId, parameters), root)
  const done = async (path: string, type: string, parameters: object): Promise<Json> => {
    const { json } = await submit(path, type, parameters)
    return requireResult(json, { type: `ACTIVITY_TYPE_${type}`, parameters: parameters as Json })
  }
  const sent = () =>
    readFileSync(join(system.directory, "fetcher", "outbox.jsonl"), "utf8")
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line) as { to: string; subject: string; text: string; html: string })
  const newestCode = () => /\b[0-9A-Z]{6,9}\b/.exec(sent().at(-1)!.text)![0]
  const fetcherKey = String((await system.send("/public/v1/pins", {})).json["fetcherPublicKey"]).slice(130)
  const ask = { otpType: "OTP_TYPE_EMAIL", contact: "ann@example.com", appName: "Acme" }

  t.test("are off at first", async (t) => {
    const { status, json } = await submit("init_otp", "INIT_OTP_V3", ask)
    t.match({ status, json }, { status: 403, json: { code: 7, message: /^OTP disallowed/ } })
    const feature = { name: "FEATURE_NAME_OTP_EMAIL_AUTH", value: "" }
    await done("set_organization_feature", "SET_ORGANIZATION_FEATURE", feature)
  })

  t.test("a code in clear", async (t) => {
    const { otpId } = await done("init_otp", "INIT_OTP_V2", ask)
    const token = await done("verify_otp", "VERIFY_OTP", { otpId, otpCode: newestCode() })
    t.match(token, { verificationToken: /^eyJ/ })
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
    await done("update_user_email", "UPDATE_USER_EMAIL", { userId: rootUserId, userEmail: "ann@example.com" })
    const { id } = await verifyOtpVerificationToken(verificationToken, fetcherKey)
    const signature = clientSignature(key, loginUsage(id, publicKeyHex))
    const login = { verificationToken, publicKey: publicKeyHex, clientSignature: signature }
    t.match(await done("otp_login", "OTP_LOGIN_V2", login), { session: /^eyJ/ })
    t.match((await system.query("whoami", { organizationId }, key)).json, { userId: rootUserId })
  })

  t.test("a wrong code, and too many codes, have the texts and codes that clients match", async (t) => {
    const { otpId } = await done("init_otp", "INIT_OTP_V2", ask)
    const right = newestCode()
    const wrong = (right.startsWith("2") ? "3" : "2") + right.slice(1)
    for (let round = 0; round < 3; round++) {
      const { status, json } = await submit("verify_otp", "VERIFY_OTP", { otpId, otpCode: wrong })
      t.match({ status, json }, { status: 400, json: { code: 3, message: "Invalid OTP code" } })
    }
    await done("init_otp", "INIT_OTP_V2", ask)
    await done("init_otp", "INIT_OTP_V2", ask)
    const { status, json } = await submit("init_otp", "INIT_OTP_V2", ask)
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
    const made = await done("create_email_template", "CREATE_EMAIL_TEMPLATE", template)
    const { emailTemplates } = requireQueryReply(
      "list_email_templates",
      (await system.query("list_email_templates", { organizationId }, root)).json,
    )
    t.match(emailTemplates, [{ ...made, ...template, organizationId, digest: /^[0-9a-f]{64}$/ }])
    await done("init_otp", "INIT_OTP_V3", { ...ask, contact: "bob@example.com" })
    t.match(sent().at(-1), {
      subject: "Acme: your code",
      text: /^Hello [0-9A-Z]{9}$/,
      html: /^<p>[0-9A-Z]{9} é<\/p>€{32745}$/,
    })
    await done("delete_email_template", "DELETE_EMAIL_TEMPLATE", made)
    t.match((await system.query("list_email_templates", { organizationId }, root)).json, {
      emailTemplates: [],
    })
  })

  t.test("no code is in a log", async (t) => {
    const codes = sent().map(({ text }) => /\b[0-9A-Z]{6,9}\b/.exec(text)![0])
    t.equal(codes.length, 6)
    for (const name of ["signer", "fetcher", "api"] as const)
      for (const code of codes) t.notMatch(system.logOf(name), code)
    t.match(system.logOf("fetcher"), /its reader can log in as anybody/)
  })
})
