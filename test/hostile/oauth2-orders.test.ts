// Orders of the fetcher for codes of X and Discord, its statements and its tokens: each counts in its own place alone.
import { create, fromBinary, type MessageInitShape } from "@bufbuild/protobuf"
import t from "tap"
import {
  FetchOrderSchema,
  type FetchedStatement,
  FetchStatementSchema,
  type Oauth2ExchangeTask,
  Oauth2ExchangeTaskSchema,
  type SignedFetchOrder,
} from "../../proto/gen/countersign/signer/v1/fetcher_pb.ts"
import { RefusalCode } from "../../proto/gen/countersign/signer/v1/refusal_pb.ts"
import { signMessage } from "../../signer/core/crypto/keyset.ts"
import { makeOrder } from "../../signer/core/fetch-orders/order.ts"
import { type Answer } from "../harness/api-client.ts"
import { AttestedKey, nonceOf } from "../harness/attested.ts"
import { idToken, issuerKey } from "../harness/id-token.ts"
import { newKey, stampWith } from "../harness/stamper.ts"
import { claimsIn, xUser, OAUTH2_AUTHENTICATE, childWith, shop } from "./oauth2-fixture.ts"
import { oauthParams } from "./oidc-fixture.ts"
import { restated } from "./restated.ts"
import { type Fixture, refused } from "./setup.ts"

const LOGIN = "ACTIVITY_TYPE_OAUTH_LOGIN"

t.test(
  "F18: the fetcher opens a bound secret for its organization alone, and only in a signed order",
  async (t) => {
    const { fixture, providers, code } = await shop(t)
    const { order, task } = await ordered(fixture, code().parameters)
    const elsewhere = await fixture.client.createOrganization("Elsewhere")
    const bound = await boundSecret(fixture, fixture.acme.organizationId)
    const sealed = { ...plain(task), sealedSecret: bound }
    providers.secrets.set(task.clientId, "bound")
    const stranger = reordered(fixture, { ...sealed }, elsewhere.organizationId)
    t.match(findingOf(await fixture.fakeFetcher.fetch(stranger)), {
      case: "refused",
      value: { code: RefusalCode.CLIENT_SECRET_OF_ANOTHER_ORGANIZATION },
    })
    t.same(providers.asked, [])
    const own = reordered(fixture, { ...sealed }, fixture.acme.organizationId)
    t.match(findingOf(await fixture.fakeFetcher.fetch(own)), { case: "oauth2Exchanged" }, "its own twin")
    const broken = reordered(
      fixture,
      { ...sealed, sealedSecret: bound.subarray(1) },
      fixture.acme.organizationId,
    )
    t.match(findingOf(await fixture.fakeFetcher.fetch(broken)), {
      case: "refused",
      value: { code: RefusalCode.CLIENT_SECRET_INVALID },
    })
    const altered = { ...order, order: Uint8Array.from(order.order) }
    altered.order[altered.order.length - 3]! ^= 1
    await t.rejects(fixture.fakeFetcher.fetch(altered as SignedFetchOrder), { code: "FETCH_ORDER_FORGED" })
    await fixture.fakeFetcher.fetch(order)
    await t.rejects(fixture.fakeFetcher.fetch(order), { code: "FETCH_ORDER_SPENT" }, "an order's second use")
  },
)

t.test(
  "F18: a statement counts for its own order alone, while it is fresh, and as the fetcher signed it",
  async (t) => {
    const { fixture, code } = await shop(t)
    const { boundary, client, acme } = fixture
    const victim = code()
    const { fetched, send } = await asked(fixture, victim.parameters)
    const other = await asked(fixture, code({ user: xUser("43") }).parameters)
    const moved = { ...other.fetched, statement: fetched.statement } as FetchedStatement
    await refused(t, fixture, "STATEMENT_INVALID", () => other.send(moved), "under another order")
    await refused(t, fixture, "STATEMENT_INVALID", () => other.send(fetched), "for another request")
    const token = idToken({ ...claimsIn(tokenOf(fetched)), sub: "x:1" }, issuerKey("p256", "forged"))
    const invented = restated(fetched, {
      finding: { case: "oauth2Exchanged", value: { oidcToken: token } },
    } as never)
    await refused(t, fixture, "STATEMENT_INVALID", () => send(invented), "invented by the API tier")
    const asIssuer = async () => {
      const key = newKey()
      const body = client.body(LOGIN, acme.organizationId, oauthParams(new AttestedKey(key, token)))
      return client.offer(body, stampWith(acme.root, body))
    }
    t.match(await asIssuer(), { is: "refused" }, "a token of a key that the API tier publishes")
    boundary.clock.pass(2 * 60 * 1000)
    t.match(await send(fetched), { is: "needed" }, "an order that is over is made anew")
  },
)

t.test(
  "F18: a token of the service counts for the key of its nonce, once, and for its own user",
  async (t) => {
    const { fixture, code, exchange } = await shop(t)
    const { client, acme, fakeFetcher } = fixture
    const ann = await childWith(fixture, await exchange(code().parameters))
    const login = (by: AttestedKey, parameters: object = {}) => {
      const body = client.body(LOGIN, ann.organizationId, oauthParams(by, parameters))
      return () => client.offer(body, stampWith(acme.root, body))
    }
    const mallory = code({ user: xUser("43") })
    const theirs = new AttestedKey(mallory.key, await exchange(mallory.parameters))
    await refused(t, fixture, "RESOURCE_UNKNOWN", login(theirs), "another user of the provider")
    const own = code()
    const token = await exchange(own.parameters)
    const parents = newKey()
    const attack = login(new AttestedKey(parents, token))
    await refused(t, fixture, "OIDC_NONCE_WRONG", attack, "the key of whoever asks")
    const forged = idToken({ ...claimsIn(token), nonce: nonceOf(parents) }, fakeFetcher.issuerKeys[0]!)
    await refused(
      t,
      fixture,
      "OIDC_TOKEN_INVALID",
      login(new AttestedKey(parents, forged)),
      "another issuer's key",
    )
    const kid = JSON.parse(Buffer.from(token.split(".")[0]!, "base64url").toString()) as { kid: string }
    const named = idToken({ ...claimsIn(token), nonce: nonceOf(parents) }, issuerKey("p256", kid.kid))
    await refused(
      t,
      fixture,
      "OIDC_TOKEN_INVALID",
      login(new AttestedKey(parents, named)),
      "under the key's id",
    )
    const before = fakeFetcher.asked
    const good = login(new AttestedKey(own.key, token))
    t.match(
      await client.send(
        client.body(LOGIN, ann.organizationId, oauthParams(new AttestedKey(own.key, token))),
        acme.root,
      ),
      {
        is: "outcome",
      },
    )
    fixture.boundary.clock.pass(1)
    await refused(t, fixture, "OIDC_TOKEN_USED", good, "a second time")
    t.equal(fakeFetcher.asked, before, "no network is asked for the service's own key")
  },
)

t.test("F18: a token of the fetcher counts only if each of its claims is about this login", async (t) => {
  const { fixture, code, exchange } = await shop(t)
  const { fakeFetcher } = fixture
  const { keySet } = fakeFetcher
  const genuine = claimsIn(await exchange(code().parameters))
  const about = async (changes: object) => {
    const { fetched, send } = await asked(fixture, code().parameters)
    const [header = ""] = tokenOf(fetched).split(".")
    const claims = JSON.stringify({ ...claimsIn(tokenOf(fetched)), ...changes })
    const text = `${header}.${Buffer.from(claims).toString("base64url")}`
    const signature = signMessage(keySet, Buffer.from(text))
    const oidcToken = `${text}.${Buffer.from(signature).toString("base64url")}`
    const finding = { case: "oauth2Exchanged" as const, value: { oidcToken } }
    return { attack: () => send(restated(fetched, { finding }, keySet)) }
  }
  const unchanged = await about({})
  t.match(await unchanged.attack(), { is: "outcome" }, "as the fetcher states it")
  const others: [claim: string, value: unknown][] = [
    ["nonce", nonceOf(newKey())],
    ["nonce", String(genuine["nonce"]).toUpperCase()],
    ["nonce", undefined],
    ["aud", "client-of-another"],
    ["aud", undefined],
    ["sub", "discord:42"],
    ["sub", "42"],
    ["iss", "https://issuer.example"],
    ["exp", 1],
  ]
  for (const [claim, value] of others) {
    const { attack } = await about({ [claim]: value })
    await refused(t, fixture, "STATEMENT_INVALID", attack, `${claim} ${String(value)}`)
  }
})

/** The signer's order for a request, and the request's answer to statements. */
async function asked({ client, acme, fakeFetcher, boundary }: Fixture, parameters: object) {
  boundary.clock.pass(1)
  const body = client.body(`ACTIVITY_TYPE_${OAUTH2_AUTHENTICATE}`, acme.organizationId, parameters)
  const xStamp = stampWith(acme.root, body)
  const document = client.documents.get(acme.organizationId)!
  const records = [...client.records.values()]
  const send = (...fetched: FetchedStatement[]): Promise<Answer> =>
    client.order(body, xStamp, { document, records, fetched })
  const answer = await send()
  if (answer.is !== "needed") throw new Error(`the signer asks for nothing: ${JSON.stringify(answer)}`)
  const [order] = answer.needed.fetchOrders
  return { order: order!, fetched: await fakeFetcher.fetch(order!), send }
}

async function ordered(fixture: Fixture, parameters: object) {
  const { client, acme, boundary } = fixture
  boundary.clock.pass(1)
  const body = client.body(`ACTIVITY_TYPE_${OAUTH2_AUTHENTICATE}`, acme.organizationId, parameters)
  const document = client.documents.get(acme.organizationId)!
  const answer = await client.order(body, stampWith(acme.root, body), {
    document,
    records: [...client.records.values()],
  })
  if (answer.is !== "needed") throw new Error("the signer asks for nothing")
  const [order] = answer.needed.fetchOrders
  const { task } = fromBinary(FetchOrderSchema, order!.order)
  if (task.case !== "oauth2Exchange") throw new Error("the order is for no exchange")
  return { order: order!, task: task.value }
}

function plain(task: Oauth2ExchangeTask): MessageInitShape<typeof Oauth2ExchangeTaskSchema> {
  const { $typeName: _, ...members } = task
  return members
}

/** An order that the notarizer signs, as a signer that was taken over would make it. */
function reordered(
  { boundary }: Fixture,
  task: MessageInitShape<typeof Oauth2ExchangeTaskSchema>,
  organizationId: string,
): SignedFetchOrder {
  const { keyring, random } = boundary.signer.state()
  const value = create(Oauth2ExchangeTaskSchema, task)
  const request = { organizationId, requestFingerprint: new Uint8Array(32) }
  const sign = (tag: string, bytes: Uint8Array) => keyring.notary.sign(tag, bytes)
  return makeOrder({ case: "oauth2Exchange", value }, request, boundary.clock.wallMs(), { sign, random })
}

async function boundSecret({ fakeFetcher }: Fixture, organizationId: string): Promise<Uint8Array> {
  const text = `countersign/v1/client-secret:${organizationId}:bound`
  return Buffer.from(await fakeFetcher.sealClientSecret(text), "hex")
}

function findingOf({ statement }: FetchedStatement) {
  return fromBinary(FetchStatementSchema, statement!.statement).finding
}

function tokenOf(fetched: FetchedStatement): string {
  const finding = findingOf(fetched)
  if (finding.case !== "oauth2Exchanged") throw new Error("the statement holds no token")
  return finding.value.oidcToken
}
