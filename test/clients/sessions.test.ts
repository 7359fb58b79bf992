// A published client, unmodified, logs in to the running system and stamps with the session's key.
import { verifySessionJwtSignature } from "@turnkey/crypto"
import t from "tap"
import { hashMessage, recoverAddress } from "viem"
import { wallet } from "../e2e/wallets.ts"
import { sharedSystem } from "../harness/shared-system.ts"
import { newKey } from "../harness/stamper.ts"
import { httpOf, toHex } from "./published.ts"

const DIGEST = { encoding: "PAYLOAD_ENCODING_HEXADECIMAL", hashFunction: "HASH_FUNCTION_NO_OP" } as const

t.test("a published client logs in, and its session key has its user's permissions", async (t) => {
  const system = await sharedSystem()
  const acme = await system.createOrganization()
  const { organizationId, rootUserId: userId, root } = acme
  const address = await wallet(system, acme, "First")
  const timestampMs = () => String(Date.now())
  const session = newKey()
  const { activity } = await httpOf(system, root).stampLogin({
    type: "ACTIVITY_TYPE_STAMP_LOGIN",
    timestampMs: timestampMs(),
    organizationId,
    parameters: { publicKey: session.publicKeyHex, expirationSeconds: "1800" },
  })
  const token = activity.result.stampLoginResult!.session
  const pins = (await system.send("/public/v1/pins", {})).json
  t.ok(await verifySessionJwtSignature(token, String(pins["notarizerPublicKey"]).slice(-130)))
  t.match(JSON.parse(atob(token.split(".")[1]!)), { user_id: userId, organization_id: organizationId })

  const client = httpOf(system, session)
  t.match(await client.getWhoami({ organizationId }), { userId, username: "root" })
  const payload = hashMessage("in a session")
  const { activity: signed } = await client.signRawPayload({
    type: "ACTIVITY_TYPE_SIGN_RAW_PAYLOAD_V2",
    timestampMs: timestampMs(),
    organizationId,
    parameters: { signWith: address, payload, ...DIGEST },
  })
  const signature = toHex(signed.result.signRawPayloadResult!)
  t.equal(await recoverAddress({ hash: payload, signature }), address)
  t.match(signed.votes, [{ userId, publicKey: session.publicKeyHex }])
  const { apiKeys } = await client.getApiKeys({ organizationId, userId })
  t.match(
    apiKeys.find(({ credential }) => credential.publicKey === session.publicKeyHex),
    { credential: { type: "CREDENTIAL_TYPE_LOGIN" }, expirationSeconds: "1800" },
  )

  const next = newKey()
  await client.stampLogin({
    type: "ACTIVITY_TYPE_STAMP_LOGIN",
    timestampMs: timestampMs(),
    organizationId,
    parameters: { publicKey: next.publicKeyHex, invalidateExisting: true },
  })
  t.match(await httpOf(system, next).getWhoami({ organizationId }), { userId })
  await t.rejects(client.getWhoami({ organizationId }), {
    message: /could not find public key in organization or its parent organization/,
  })
})
