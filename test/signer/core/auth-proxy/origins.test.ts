import t from "tap"
import { canonicalOrigin, isOriginAllowed } from "../../../../signer/core/auth-proxy/origins.ts"

const APP = "https://app.example.com"

t.test("an origin has one spelling", async (t) => {
  const spellings = {
    [APP]: APP,
    [`${APP}/`]: APP,
    "HTTPS://App.Example.com": APP,
    "https://app.example.com:443": APP,
    "https://app.example.com:8443": "https://app.example.com:8443",
    "http://localhost:3000": "http://localhost:3000",
    "http://[::1]:3000": "http://[::1]:3000",
    "https://bücher.example": "https://xn--bcher-kva.example",
    "Capacitor://LocalHost": "capacitor://localhost",
    "*": "*",
  }
  for (const [text, origin] of Object.entries(spellings)) t.equal(canonicalOrigin(text), origin, text)
})

t.test("patterns, paths and texts that no browser sends are no origins", async (t) => {
  for (const text of [
    "",
    "null",
    "app.example.com",
    "https://",
    "https:///",
    "//app.example.com",
    "https://*.example.com",

    `${APP}/login`,
    `${APP}//`,
    `${APP}?a`,
    `${APP}#a`,
    `${APP}, https://b.example`,
    `https://a@b.example`,
    `${APP} `,
    `${APP}\\`,
    "https://app.example.com:99999",
    "javascript:alert(1)",
    "app://:",
    "app://host:port",
    "app://host:",
  ])
    t.equal(canonicalOrigin(text), undefined, text)
})

t.test("without a list, and with *, every origin may call, and so may a request without one", async (t) => {
  for (const allowedOrigins of [[], ["*"], [APP, "*"]])
    for (const origin of [APP, "null", "https://evil.example", undefined])
      t.ok(isOriginAllowed(origin, { allowedOrigins }), `${origin} of ${allowedOrigins.join()}`)
})

t.test("with a list only its members may call, whatever tricks another origin tries", async (t) => {
  const allowedOrigins = [APP, "http://localhost:3000"]
  const isAllowed = (origin: string) => isOriginAllowed(origin, { allowedOrigins })
  for (const origin of [APP, "HTTPS://APP.example.COM", "http://localhost:3000"])
    t.ok(isAllowed(origin), origin)
  for (const origin of [
    "null",
    "*",
    "",
    "https://example.com",
    "https://app.example.com.evil.example",
    "https://evilapp.example.com",
    "https://app.example.com:8443",
    "http://app.example.com",
    `${APP}/`,
    `${APP}/x`,
    "http://localhost",

    "http://localhost:3001",
    "http://127.0.0.1:3000",
    `${APP}, https://evil.example`,
    `https://evil.example ${APP}`,
    "https://app.example.com.",
    "https://app.example.com\u0000",
    "https://аpp.example.com",
  ])
    t.notOk(isAllowed(origin), JSON.stringify(origin))
})

t.test("with a list a request without origin is refused, unless the settings allow it", async (t) => {
  const allowedOrigins = [APP]
  t.notOk(isOriginAllowed(undefined, { allowedOrigins }))
  t.ok(isOriginAllowed(undefined, { allowedOrigins, allowMissingOrigin: true }))
  t.notOk(isOriginAllowed("null", { allowedOrigins, allowMissingOrigin: true }))
})
