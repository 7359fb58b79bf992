// Submits below the parent: refused from a parent's user, and stored in the organization that a login is for.
import { create } from "@bufbuild/protobuf"
import t from "tap"
import { AuthenticatorSchema } from "../../../../proto/gen/countersign/state/v1/document_pb.ts"
import { Passkey } from "../../../harness/authenticator.ts"
import { nextId, user } from "../documents.ts"
import { denied, quorumBody, signBody, submitBody } from "../prepared.ts"
import { type Json } from "../start-api.ts"
import { makeKey, stamp, type TestKey } from "../stamps.ts"
import { api, family, first, keys, PARENT, query, root, second } from "./family.ts"

t.test("a parent's user cannot submit in a sub-organization", async (t) => {
  const bodies: [string, string][] = [
    ["update_root_quorum", quorumBody([root.userId]).replace(PARENT, first)],
    ["sign_raw_payload", signBody("hello", first)],
    ["create_wallet", submitBody("CREATE_WALLET", { walletName: "x", accounts: [] }, first)],
    ["approve_activity", submitBody("APPROVE_ACTIVITY", { fingerprint: `sha256:${"0".repeat(64)}` }, first)],
  ]
  for (const [path, body] of bodies) {
    t.match(await api.post(`submit/${path}`, body, keys.root), {
      status: 400,
      json: {
        code: 3,
        message: `organization mismatch: request is targeting organization ("${first}"), but voters are in organization ("${PARENT}")`,
        turnkeyErrorCode: "ORGANIZATION_MISMATCH",
      },
    })
    t.match(await api.post(`submit/${path}`, body, keys.stranger), {
      status: 401,
      json: { turnkeyErrorCode: "PUBLIC_KEY_NOT_FOUND" },
    })
    const forged = { "x-stamp": forge(keys.root, body) }
    t.match(await api.send(`/public/v1/submit/${path}`, { method: "POST", body, headers: forged }), {
      status: 401,
      json: { turnkeyErrorCode: "SIGNATURE_INVALID" },
    })
  }
  t.same(api.signer.orders, [], "the signer never heard of it")
  t.same([...(await api.sql`select * from activities`)], [])
})

t.test("logins in a sub-organization by the parent's key ask the signer's archive nothing", async (t) => {
  const before = api.signer.questions.length
  // More than the archive is asked in a second for unknown keys.
  for (let count = 0; count < 60; count++) {
    api.signer.answers.push(denied(root.userId, first))
    const parameters = { verificationToken: `token ${count}`, publicKey: makeKey().publicKey }
    const reply = await api.post("submit/otp_login", submitBody("OTP_LOGIN", parameters, first), keys.root)
    if (reply.status !== 403) t.fail(`login ${count} was answered ${reply.status}: ${reply.text}`)
  }
  t.strictSame(api.signer.questions.slice(before), [])
})

t.test("a denied login below the parent is stored in its user's organization only", async (t) => {
  const [shared] = (await query("list_users", {}, keys.shared, second)).json["users"] as [{ userId: string }]
  const body = submitBody("STAMP_LOGIN", { publicKey: makeKey().publicKey })
  const login = () => {
    api.signer.answers.push(denied(shared.userId, second))
    return api.post("submit/stamp_login", body, keys.shared)
  }
  const reply = await login()
  t.equal(reply.status, 403)
  t.notMatch(reply.text, /policyName/, "the address was not admitted to this organization")
  const failed = { filterByStatus: ["ACTIVITY_STATUS_FAILED"] }
  const activities = async (key: TestKey, organizationId: string) =>
    (await query("list_activities", failed, key, organizationId)).json["activities"] as Json[]
  t.strictSame(await activities(keys.root, PARENT), [], "the parent has no such activity")
  const [kept, ...others] = await activities(keys.shared, second)
  t.match(kept, {
    organizationId: second,
    type: "ACTIVITY_TYPE_STAMP_LOGIN",
    votes: [{ userId: shared.userId, user: { userName: "shared" }, message: body }],
  })
  t.strictSame(others, [])
  const named = { metadata: { activityId: kept?.["id"] } }
  t.match((reply.json["details"] as Json[]).at(-1), named)
  const again = await login()
  t.equal(again.status, 403)
  t.match((again.json["details"] as Json[]).at(-1), named, "a repeated body is the same activity")
  t.equal((await activities(keys.shared, second)).length, 1)
})

t.test("a denied login by passkey is stored with the key that verifies it", async (t) => {
  const passkey = new Passkey()
  const held = { credentialId: passkey.credentialId, publicKey: passkey.publicKey }
  const homes = [nextId(), nextId()] as const
  for (const organizationId of homes) {
    const one = { ...user("passkey", keys.one), authenticators: [create(AuthenticatorSchema, held)] }
    await family(organizationId, PARENT, { users: [one, user("reader", keys.stranger)] })
  }
  const [home] = homes
  const text = submitBody("STAMP_LOGIN", { publicKey: makeKey().publicKey })
  api.signer.answers.push(denied(nextId(), home))
  const reply = await api.send("/public/v1/submit/stamp_login", {
    method: "POST",
    body: text,
    headers: { "x-stamp-webauthn": passkey.stamp(text) },
  })
  t.equal(reply.status, 403)
  const { json } = await query("list_activities", {}, keys.stranger, home)
  const publicKey = passkey.publicKey.toString("base64url")
  t.match(json, { activities: [{ organizationId: home, votes: [{ publicKey, message: text }] }] })
})

/** A stamp with the name of this key over another body. */
function forge(key: TestKey, body: string): string {
  return stamp(key, `${body} `)
}
