// ID tokens that an organization asks about: the signer verifies them as for a login, with keys that the fetcher stated.
import { create } from "@bufbuild/protobuf"
import t, { type Test } from "tap"
import type { FetchedStatement } from "../../proto/gen/countersign/signer/v1/fetcher_pb.ts"
import { VerifyIdTokenRequestSchema } from "../../proto/gen/countersign/signer/v1/signer_pb.ts"
import { MAX_UNVERIFIED_BODY_BYTES } from "../../signer/core/wire.ts"
import { signerHandlers } from "../../signer/enclave/rpc/index.ts"
import { issuerKey } from "../harness/id-token.ts"
import { withGoogle } from "./google-fixture.ts"
import { setup } from "./setup.ts"

async function setUp(t: Test) {
  const fixture = await setup(t)
  const { fakeFetcher, boundary, acme } = fixture
  const token = withGoogle(fixture)
  const ask = async (oidcToken: string, fetched: FetchedStatement[] = [], { organizationId } = acme) => {
    const request = create(VerifyIdTokenRequestSchema, { organizationId, oidcToken, fetched })
    const { fetchOrders = [] } = await signerHandlers.verifyIdToken(request, boundary.signer)
    return fetchOrders as Parameters<typeof fakeFetcher.fetch>[0][]
  }
  const fetchFor = async (oidcToken: string) =>
    Promise.all((await ask(oidcToken)).map((order) => fakeFetcher.fetch(order)))
  return { fixture, token, ask, fetchFor }
}

t.test("a token is verified with the keys that its issuer has, and opens nothing", async (t) => {
  const { fixture, token, ask, fetchFor } = await setUp(t)
  const { client, acme } = fixture
  const document = client.documents.get(acme.organizationId)
  const oidcToken = token()
  const fetched = await fetchFor(oidcToken)
  t.equal(fetched.length, 1)
  t.same(await ask(oidcToken, fetched), [], "verified")
  t.same(await ask(token({ sub: "2" })), [], "the keys are known now")
  t.equal(client.documents.get(acme.organizationId), document)
})

t.test("a token that a login refuses is refused", async (t) => {
  const { fixture, token, ask, fetchFor } = await setUp(t)
  const { boundary } = fixture
  const known = token()
  await ask(known, await fetchFor(known))
  const seconds = Math.floor(boundary.clock.wallMs() / 1000)
  const [header, payload] = token().split(".")
  const none = `${Buffer.from(JSON.stringify({ alg: "none" })).toString("base64url")}.${payload}.`
  const cases: [what: string, token: string][] = [
    ["of another key", token({}, issuerKey("p256", "google"))],
    ["expired", token({ exp: seconds - 61 })],
    ["not valid yet", token({ nbf: seconds + 3600 })],
    ["without algorithm", none],
    ["without signature", `${header}.${payload}.`],
    ["no token", "a.b.c"],
    ["empty", ""],
  ]
  for (const [what, one] of cases) await t.rejects(ask(one), { code: "OIDC_TOKEN_INVALID" }, what)
  await t.rejects(ask("x".repeat(MAX_UNVERIFIED_BODY_BYTES + 1)), { code: "REQUEST_TOO_LARGE" })
  t.same(await ask(token()), [], "the unaltered twin")
})

t.test(
  "F7: statements for another token, another organization or of another fetcher verify nothing",
  async (t) => {
    const { fixture, token, ask, fetchFor } = await setUp(t)
    const { acme } = fixture
    const oidcToken = token()
    const [mine] = await fetchFor(oidcToken)
    const other = await fetchFor(token({ sub: "2" }))
    const refused = { code: "STATEMENT_INVALID" }
    await t.rejects(ask(oidcToken, other), refused, "for another token")
    await t.rejects(
      ask(oidcToken, [mine!], { ...acme, organizationId: "00000000-0000-4000-8000-000000000000" }),
      refused,
      "for another organization",
    )
    const { signature } = mine!.statement!
    const statement = { ...mine!.statement!, signature: signature.with(0, signature[0]! ^ 0xff) }
    await t.rejects(ask(oidcToken, [{ ...mine!, statement }]), refused, "altered")
    t.equal((await ask(oidcToken)).length, 1, "nothing was learned")
    t.same(await ask(oidcToken, [mine!]), [], "the unaltered twin")
  },
)
