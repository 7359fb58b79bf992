// Captchas, before a provider on the loopback that speaks Cloudflare's siteverify.
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { text as readText } from "node:stream/consumers"
import t, { type Test } from "tap"
import { readCaptchaSecret, Turnstile } from "../../../services/auth-proxy/turnstile.ts"
import { webServer } from "../../harness/web-server.ts"
import { startProxy } from "./start-proxy.ts"

const ok = (members: object) => ({ status: 200, text: JSON.stringify(members) })
const completed = (result: object) => ok({ activity: { status: "ACTIVITY_STATUS_COMPLETED", result } })
const SECRET = "0x4AAAAAAAsecret"
const CODE = { otpType: "OTP_TYPE_EMAIL", contact: "ann@example.com" }
const OPERATIONS = [
  ["otp_init", CODE, { initOtpResult: { otpId: "1" } }],
  ["otp_init_v2", CODE, { initOtpResultV2: { otpId: "1" } }],
  [
    "signup",
    { userName: "ann" },
    { createSubOrganizationResultV7: { subOrganizationId: "s", rootUserIds: ["u"] } },
  ],
  [
    "signup_v2",
    { userName: "ann" },
    { createSubOrganizationResultV8: { subOrganizationId: "s", rootUserIds: ["u"] } },
  ],
] as const

/** A provider that takes each of its tokens once. `answer`: another reply; null: none ever comes. */
async function provider(t: Test, timeoutMs?: number) {
  const passed = new Set<string>()
  const forms: URLSearchParams[] = []
  const state: { answer: ((form: URLSearchParams) => string | null) | undefined; status: number } = {
    answer: undefined,
    status: 200,
  }
  const siteverify = (form: URLSearchParams) => {
    const failed = (code: string) => JSON.stringify({ success: false, "error-codes": [code] })
    if (form.get("secret") !== SECRET) return failed("invalid-input-secret")
    const known = passed.delete(form.get("response") ?? "")
    return known ? JSON.stringify({ success: true, "error-codes": [] }) : failed("timeout-or-duplicate")
  }
  const server = await webServer((request, response) => {
    const answer = async () => {
      const form = new URLSearchParams(await readText(request))
      forms.push(form)
      const text = (state.answer ?? siteverify)(form)
      response.statusCode = request.method === "POST" ? state.status : 405
      if (text !== null) response.end(text)
    }
    void answer()
  })
  t.teardown(() => server.close())
  const errors: object[] = []
  const log = { error: (fields: object) => void errors.push(fields) }
  const options = { siteKey: "site", secret: SECRET, url: `http://127.0.0.1:${server.port}/siteverify`, log }
  const token = (name: string) => {
    passed.add(name)
    return { "x-captcha-token": name }
  }
  return {
    state,
    forms,
    errors,
    token,
    options,
    turnstile: new Turnstile({ ...options, ...(timeoutMs && { timeoutMs }) }),
  }
}

async function proxyWith(t: Test, allowsUnreachable: boolean, timeoutMs?: number) {
  const captcha = await provider(t, timeoutMs)
  const proxy = await startProxy(t, { captcha: { turnstile: captcha.turnstile, allowsUnreachable } })
  proxy.core.settings = { captchaEnabled: true }
  return { ...captcha, ...proxy }
}

t.test(
  "with captchaEnabled codes and sign-ups take a captcha that was passed, once, with the caller's address",
  async (t) => {
    const { post, core, token, forms } = await proxyWith(t, true)
    t.same((await post("wallet_kit_client_params", "")).json, { turnstileSiteKey: "site" })
    for (const [operation, body, result] of OPERATIONS) {
      core.replies.push(completed(result))
      const headers = token(operation)
      t.equal((await post(operation, body, headers)).status, 200, operation)
      t.same(Object.fromEntries(forms.at(-1)!), {
        secret: SECRET,
        response: operation,
        remoteip: "127.0.0.1",
      })
      const asked = core.posted.length
      const failed = { status: 403, json: { code: 7, message: "captcha verification failed" } }
      t.match(await post(operation, body, headers), failed, `${operation}: the same token again`)
      t.match(await post(operation, body, { "x-captcha-token": "invented" }), failed)
      t.match(await post(operation, body, { "x-captcha-token": "x".repeat(2049) }), failed)
      const missing = { code: 3, message: "X-Captcha-Token header is required when captcha is enabled" }
      t.match(await post(operation, body), { status: 400, json: missing })
      t.equal(core.posted.length, asked, "no activity")
    }
    const asked = forms.length
    core.replies.push(
      completed(OPERATIONS[2][2]),
      completed({ verifyOtpResult: {} }),
      ok({ organizationIds: [] }),
    )
    t.equal(
      (await post("signup", { verificationToken: "a.b.c" })).status,
      200,
      "a verification token is enough",
    )
    t.equal(
      (await post("otp_verify", { otpId: "0b5f6e0a-0000-4000-8000-000000000002", otpCode: "ABC123" })).status,
      200,
    )
    t.equal((await post("account", { filterType: "NAME", filterValue: "x" })).status, 200)
    t.equal(forms.length, asked, "and these need none")
  },
)

t.test(
  "a provider that verifies nothing lets requests pass, or stops them, as the operator says",
  async (t) => {
    const replies: [what: string, answer: () => string | null, status?: number][] = [
      ["no answer", () => null],
      ["no JSON", () => "<html>"],
      ["no object", () => "null"],
      ["a refused secret", () => '{"success":false,"error-codes":["invalid-input-secret"]}'],
      ["its own fault", () => '{"success":false,"error-codes":["internal-error"]}'],
      ["a failure without a code", () => '{"success":false}'],
      ["success that is no boolean", () => '{"success":"true"}'],
      ["a long reply", () => JSON.stringify({ success: true, filler: "x".repeat(20_000) })],
    ]
    for (const allowsUnreachable of [true, false]) {
      const { post, core, state, token, errors } = await proxyWith(t, allowsUnreachable, 100)
      for (const [what, answer] of replies) {
        state.answer = answer
        core.replies.splice(0, Infinity, completed(OPERATIONS[0][2]))
        const reply = await post("otp_init", CODE, token(what))
        t.equal(reply.status, allowsUnreachable ? 200 : 503, what)
      }
      t.equal(errors.length, replies.length, "the operator learns of each")
      t.notMatch(JSON.stringify(errors), SECRET)
    }
  },
)

t.test(
  "without a provider captchaEnabled stops codes and sign-ups; without captchaEnabled nothing is asked",
  async (t) => {
    const none = await startProxy(t)
    none.core.settings = { captchaEnabled: true }
    for (const [operation, body] of OPERATIONS)
      t.match(await none.post(operation, body, { "x-captcha-token": "any" }), {
        status: 403,
        json: { message: /^captcha verification failed: the operator/ },
      })
    t.same((await none.post("wallet_kit_client_params", "")).json, {})
    t.same(none.core.posted, [])
    const { post, core, forms } = await proxyWith(t, false)
    core.settings = {}
    core.replies.push(completed(OPERATIONS[0][2]))
    t.equal((await post("otp_init", CODE)).status, 200)
    t.same((await post("wallet_kit_client_params", "")).json, {})
    t.same(forms, [])
  },
)

t.test("the secret is read from a file of the proxy's user alone", async (t) => {
  const directory = mkdtempSync(join(tmpdir(), "cs-captcha-"))
  t.teardown(() => rmSync(directory, { recursive: true }))
  const file = join(directory, "secret")
  writeFileSync(file, ` ${SECRET}\n`, { mode: 0o600 })
  t.equal(readCaptchaSecret(file), SECRET)
  chmodSync(file, 0o640)
  t.throws(() => readCaptchaSecret(file), /set its mode to 0600/)
  chmodSync(file, 0o600)
  writeFileSync(file, "\n")
  t.throws(() => readCaptchaSecret(file), /holds no secret/)
})
