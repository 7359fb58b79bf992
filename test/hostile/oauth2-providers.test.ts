// Providers that lie, are late, or repeat secrets.
import t from "tap"
import { shop } from "./oauth2-fixture.ts"
import { refused } from "./setup.ts"

const REFUSED = { is: "refused", code: "OAUTH2_REFUSED" }

t.test("F19: a provider that lies, is late, large or cut off gives no token", async (t) => {
  const { fixture, providers, code, attempt } = await shop(t)
  const token = JSON.stringify({ token_type: "bearer", access_token: "abc" })
  const lies: [what: string, next: (typeof providers.next)[number][]][] = [
    ["HTML", [{ body: "<html>sign in</html>" }]],
    ["no token", [{ body: "{}" }]],
    ["a token of another type", [{ body: JSON.stringify({ token_type: "mac", access_token: "abc" }) }]],
    [
      "a token that would end the header",
      [{ body: JSON.stringify({ token_type: "bearer", access_token: "a\r\nx: y" }) }],
    ],
    ["too much", [{ body: "x".repeat(300_000) }]],
    ["two members of one name", [{ body: '{"token_type":"bearer","access_token":"a","access_token":"b"}' }]],
    ["a redirect", [{ status: 302, headers: { location: "https://evil.example/" } }]],
    ["a token, and HTML for the user", [{ body: token }, { body: "<html>" }]],
    ["a user without id", [{ body: token }, { body: '{"data":{"name":"ann"}}' }]],
    ["an id that is a number", [{ body: token }, { body: '{"data":{"id":42}}' }]],
    ["an id with another provider's prefix", [{ body: token }, { body: '{"data":{"id":"discord:42"}}' }]],
    ["Discord's form from X", [{ body: token }, { body: '{"id":"42"}' }]],
    ["no data", [{ body: token }, { body: '{"errors":[{"message":"legacy plan"}]}' }]],
    ["a refusal of the user", [{ body: token }, { status: 403, body: '{"detail":"secret"}' }]],
  ]
  for (const [what, next] of lies) {
    providers.next.push(...next)
    await refused(t, fixture, "OAUTH2_REFUSED", () => attempt(code().parameters), what)
    providers.next.length = 0
  }
  const passing: [what: string, next: (typeof providers.next)[number][]][] = [
    ["cut off", [{ body: token, cut: 10 }]],
    ["a fault", [{ status: 503, body: token }]],
    ["too many requests", [{ status: 429 }]],
    ["a fault at the user", [{ body: token }, { status: 500 }]],
  ]
  for (const [what, next] of passing) {
    providers.next.push(...next)
    await refused(t, fixture, "OAUTH2_UNAVAILABLE", () => attempt(code().parameters), what)
    providers.next.length = 0
  }
  t.match(await attempt(code().parameters), { is: "outcome" })
})

t.test("F19: a wrong client secret is named, and no text of the provider is repeated", async (t) => {
  const { providers, code, attempt, clientId } = await shop(t)
  providers.secrets.set(clientId, "another")
  const answer = await attempt(code().parameters)
  t.match(answer, { ...REFUSED, sentence: /^X refuses the login with status 401: invalid_client, / })
  t.notMatch(answer.is === "refused" && answer.sentence, /top secret|s3cret/)
  providers.next.push({ status: 400, body: JSON.stringify({ error: "<b>s3cret</b>" }) })
  const other = await attempt(code().parameters)
  t.match(other, { ...REFUSED, sentence: "X refuses the login with status 400: log in there again" })
})
