// Logins of the dashboard, with an API that lies about who has logged in.
import t, { type Test } from "tap"
import { enterByApiKey, enterByPasskey } from "../../../services/dashboard/api/enter.ts"
import { login } from "../../../services/dashboard/api/login.ts"

const OWN = "6f0b7c1e-1111-4222-8333-444455556666"
const FOREIGN = "6f0b7c1e-9999-4222-8333-444455556666"
const KEY = "11".repeat(32)

/** A browser whose API names `organizationId` in its replies. Returns the organizations that requests named. */
function browser(t: Test, organizationId: string) {
  const person = {
    organizationId,
    organizationName: "Acme",
    userId: "u",
    username: "root",
    by: "passkey",
    key: "k",
  }
  const session = { ...person, session: "s", sessionExpiry: "4102444800" }
  const replies: { [path: string]: object } = {
    "/config.json": { apiUrl: "https://api.example" },
    "https://api.example/public/v1/submit/stamp_login": { activity: { result: {} } },
    "https://api.example/public/v1/query/whoami": person,
    "https://api.example/public/v1/submit/create_read_only_session": {
      activity: { result: { createReadOnlySessionResult: session } },
    },
  }
  const asked: string[] = []
  const fetched = async (url: string, init?: { body: string }) => {
    if (init !== undefined) asked.push((JSON.parse(init.body) as { organizationId: string }).organizationId)
    return Response.json(replies[url])
  }
  t.intercept(globalThis, "fetch", { value: fetched })
  t.intercept(globalThis, "indexedDB", { value: { open: () => request(database) } })
  t.intercept(globalThis, "localStorage", { value: { getItem: () => null, setItem: () => undefined } })
  t.intercept(globalThis, "location", { value: { hostname: "dashboard.example" } })
  t.intercept(globalThis, "navigator", { value: { credentials: { get: async () => assertion } } })
  login.value = null
  return asked
}

const bytes = new Uint8Array(8).buffer
const assertion = {
  id: "AQ",
  response: { authenticatorData: bytes, clientDataJSON: bytes, signature: bytes },
}

/** IndexedDB that keeps nothing: each request succeeds. */
const database = { transaction: () => ({ objectStore: () => ({ put: () => request(undefined) }) }) }
function request(result: unknown) {
  return {
    result,
    addEventListener: (name: string, listen: () => void) => name === "success" && queueMicrotask(listen),
  }
}

const ways = {
  key: (organizationId: string) => enterByApiKey(KEY, organizationId),
  passkey: (organizationId: string) => enterByPasskey({ organizationId }),
}

t.test("a browser logs in to the organization that its user named, by API key and by passkey", async (t) => {
  for (const [by, enter] of Object.entries(ways)) {
    const asked = browser(t, OWN)
    await enter(OWN.toUpperCase())
    t.match(login.value, { organizationId: OWN, username: "root", by })
    t.not((login.value as { key?: unknown }).key, "k", "the reply names no key")
    t.same(new Set(asked), new Set([OWN.toUpperCase()]))
  }
})

t.test("W23: no other organization is taken from the API's reply", async (t) => {
  for (const enter of Object.values(ways)) {
    browser(t, FOREIGN)
    const message = new RegExp(`${FOREIGN}, not for ${OWN}: nothing was kept`)
    await t.rejects(enter(OWN), { reason: "ORGANIZATION_DIFFERS", message })
    t.equal(login.value, null, "secrets would be sealed for it")
  }
})
