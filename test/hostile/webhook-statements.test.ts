// The API tier asks for signatures of notifications: what it gets, and what else it could want.
import { createPublicKey, randomUUID, verify } from "node:crypto"
import { verifyTurnkeyWebhookSignature } from "@turnkey/crypto"
import { create } from "@bufbuild/protobuf"
import { inspect } from "node:util"
import t from "tap"
import {
  SignWebhooksRequestSchema,
  type SignWebhooksResponse,
} from "../../proto/gen/countersign/signer/v1/signer_pb.ts"
import {
  MAX_STATEMENTS,
  WEBHOOK_KEYS_PATH,
  webhookInput,
  webhookKeySet,
  webhookSignatureHeaders,
} from "../../signer/core/webhook/statement.ts"
import { signerHandlers } from "../../signer/enclave/rpc/index.ts"
import { type Fixture, ledgerDigest, setup } from "./setup.ts"

type Statement = { organizationId: string; eventId: string; timestampMs: bigint; body: Uint8Array }

const signed = async ({ boundary }: Fixture, statements: Statement[]) => {
  const request = create(SignWebhooksRequestSchema, { statements })
  return (await signerHandlers.signWebhooks(request, boundary.signer)) as SignWebhooksResponse
}

const INVALID = "WEBHOOK_STATEMENT_INVALID"
const TIME = "WEBHOOK_TIME_INVALID"
const OF_ANOTHER = /the body's organizationId is that of the statement/

const bytes = (value: unknown) => Buffer.from(typeof value === "string" ? value : JSON.stringify(value))

function statementOf(
  { acme: { organizationId }, boundary }: Fixture,
  changes: Partial<Statement> = {},
): Statement {
  const body = bytes({ organizationId, type: "ACTIVITY_TYPE_CREATE_WALLET" })
  return { organizationId, eventId: randomUUID(), timestampMs: BigInt(boundary.nowMs()), body, ...changes }
}

async function publicKeyOf({ boundary }: Fixture): Promise<Buffer> {
  const { webhookPublicKey } = (await signerHandlers.getPins({}, boundary.signer)) as {
    webhookPublicKey: Uint8Array
  }
  return Buffer.from(webhookPublicKey)
}

t.test(
  "W5: a signature of a notification verifies with the published verifier, and changes nothing",
  async (t) => {
    const fixture = await setup(t)
    const before = ledgerDigest(fixture)
    const statements = [statementOf(fixture), statementOf(fixture)]
    const { signatures, keyId } = await signed(fixture, statements)
    t.match(keyId, /^[0-9a-f]{32}$/)
    t.equal(
      WEBHOOK_KEYS_PATH,
      "/public/v1/discovery/webhooks/jwks",
      "where published receivers look for keys",
    )
    t.equal(ledgerDigest(fixture), before)
    const publicKey = await publicKeyOf(fixture)
    const verificationKeys = [{ keyId, publicKey: publicKey.toString("hex") }]
    for (const [index, { body, eventId, timestampMs }] of statements.entries()) {
      const headers = webhookSignatureHeaders({ keyId, eventId, timestampMs }, signatures[index]!)
      const given = {
        headers,
        body,
        verificationKeys,
        maxTimestampAgeMs: 300_000,
        nowMs: Number(timestampMs),
      }
      t.match(verifyTurnkeyWebhookSignature(given), {
        ok: true,
        eventId,
        keyId,
        timestampMs: Number(timestampMs),
      })
      const altered = Buffer.concat([body, Buffer.from(" ")])
      t.match(verifyTurnkeyWebhookSignature({ ...given, body: altered }), {
        ok: false,
        reason: "invalid_signature",
      })
      const other = { ...headers, "X-Turnkey-Event-Id": randomUUID() }
      t.match(verifyTurnkeyWebhookSignature({ ...given, headers: other }), {
        ok: false,
        reason: "invalid_signature",
      })
    }
    t.match(webhookKeySet(publicKey), {
      keys: [
        {
          kid: keyId,
          kty: "OKP",
          crv: "Ed25519",
          alg: "EdDSA",
          use: "sig",
          x: publicKey.toString("base64url"),
        },
      ],
    })
  },
)

t.test("W5: the key signs nothing but notifications of known organizations, of this moment", async (t) => {
  const fixture = await setup(t)
  const { acme, boundary } = fixture
  const { organizationId } = acme
  const nowhere = randomUUID()
  const bad: [what: string, changes: Partial<Statement>, code: string, member: string, sentence: RegExp][] = [
    [
      "a body that is no JSON",
      { body: bytes("countersign/v1/receipt\0") },
      INVALID,
      "body",
      /: the body is /,
    ],
    ["a list", { body: bytes([{ organizationId }]) }, INVALID, "body", /: the body is /],
    [
      "a body with two readings",
      { body: bytes(`{"organizationId":"${organizationId}","a":1,"a":2}`) },
      INVALID,
      "body",
      /: the body is /,
    ],
    ["bytes that are no UTF-8", { body: Buffer.from([0x7b, 0xff, 0x7d]) }, INVALID, "body", /: the body is /],
    ["a body of no organization", { body: bytes({}) }, INVALID, "body", OF_ANOTHER],
    [
      "a body of another organization",
      { body: bytes({ organizationId: nowhere }) },
      INVALID,
      "body",
      OF_ANOTHER,
    ],
    [
      "an unknown organization",
      { organizationId: nowhere, body: bytes({ organizationId: nowhere }) },
      "ORGANIZATION_UNKNOWN",
      "",
      /./,
    ],
    [
      "an organization that is no id",
      { organizationId: "acme", body: bytes({ organizationId: "acme" }) },
      INVALID,
      "organizationId",
      /an organization's id is a UUID/,
    ],
    ["an event id with a separator", { eventId: "a.1.b" }, INVALID, "eventId", /an event's id is a UUID/],
    ["no time", { timestampMs: 0n }, TIME, "timestampMs", /five minutes/],
  ]
  for (const [what, changes, code, member, sentence] of bad) {
    const refusal = { code, message: sentence, ...(member !== "" && { field: `statements[1].${member}` }) }
    await t.rejects(signed(fixture, [statementOf(fixture), statementOf(fixture, changes)]), refusal, what)
  }
  const atDistance = (distanceMs: number) => {
    const statement = statementOf(fixture)
    return signed(fixture, [{ ...statement, timestampMs: BigInt(boundary.clock.wallMs() + distanceMs) }])
  }
  for (const distanceMs of [-300_000, 300_000]) await t.resolves(atDistance(distanceMs))
  for (const distanceMs of [-300_001, 300_001])
    await t.rejects(atDistance(distanceMs), { code: TIME, field: "statements[0].timestampMs" })
})

t.test("W5: a call signs so many notifications and bytes at most, and one body of any size", async (t) => {
  const fixture = await setup(t)
  const { organizationId } = fixture.acme
  const many = (count: number) => Array.from({ length: count }, () => statementOf(fixture))
  t.equal((await signed(fixture, many(MAX_STATEMENTS))).signatures.length, MAX_STATEMENTS)
  const tooLarge = { code: "REQUEST_TOO_LARGE", field: "statements" }
  await t.rejects(signed(fixture, many(MAX_STATEMENTS + 1)), tooLarge)
  const bare = bytes({ organizationId, filler: "" }).length
  const sized = (length: number) =>
    statementOf(fixture, { body: bytes({ organizationId, filler: "x".repeat(length - bare) }) })
  const half = 2 * 1024 * 1024
  t.equal((await signed(fixture, [sized(half), sized(half)])).signatures.length, 2)
  await t.rejects(signed(fixture, [sized(half), sized(half + 1)]), tooLarge)
  t.equal((await signed(fixture, [sized(2 * half + 1)])).signatures.length, 1)
})

t.test(
  "W5: a signature is none of another statement of the signer, and its key is no other one",
  async (t) => {
    const fixture = await setup(t)
    const statement = statementOf(fixture)
    const { signatures, keyId } = await signed(fixture, [statement])
    const raw = await publicKeyOf(fixture)
    const jwk = { kty: "OKP", crv: "Ed25519", x: raw.toString("base64url") }
    const key = createPublicKey({ key: jwk, format: "jwk" })
    const input = webhookInput({ ...statement, keyId }, statement.body)
    t.match(
      Buffer.from(input).toString(),
      new RegExp(`^v1\\.ed25519\\.${keyId}\\.\\d+\\.${statement.eventId}\\.\\{`),
    )
    t.ok(verify(null, input, key, signatures[0]!))
    t.notOk(verify(null, statement.body, key, signatures[0]!), "the body alone is never signed")
    const { pins } = (await signerHandlers.getPins({}, fixture.boundary.signer)) as { pins: object }
    t.notMatch(inspect(pins, { depth: null }), raw.toString("hex"), "pins name other keys")
  },
)
