import { createHash } from "node:crypto"
import { fromBinary, toBinary } from "@bufbuild/protobuf"
import t from "tap"
import {
  RecordKind,
  RecordSchema,
  SessionRecordSchema,
} from "../../proto/gen/countersign/state/v1/record_pb.ts"
import { valueOf, signParams, userParams, ethereumAccount } from "../harness/api-seat.ts"
import { child } from "../harness/sub-organization.ts"
import { newKey, stampWith, type TestKey } from "../harness/stamper.ts"
import { asRoot, refused, type Stage, stage } from "./stage.ts"

const TYPE = (name: string) => `ACTIVITY_TYPE_${name}`
const SIGN = "SIGN_RAW_PAYLOAD_V2"
const NO_SIGNING = "activity.action != 'SIGN'"

/** A profile, and a session of the root user that is confined to it. */
async function confined(scene: Stage, scope: string, owner = scene.acme) {
  const { seat } = scene
  const parameters = { sessionProfileName: scope.slice(0, 200), scope }
  const made = await asRoot(scene).submit("CREATE_SESSION_PROFILE", parameters)
  const { sessionProfileId } = valueOf(made, "createSessionProfileResult")
  const wish = { sessionProfileId, expirationSeconds: "3600" }
  const { key, record } = await seat.login(owner, owner.root, wish)
  const attempt = (type: string, wanted: object, by: TestKey = key) =>
    seat.send(seat.body(TYPE(type), owner.organizationId, wanted), by)
  return { key, record, sessionProfileId, attempt }
}

function wallet(walletName: string) {
  return { walletName, accounts: [ethereumAccount(0)] }
}

t.test("B8: a session scope confines requests whatever the user's rights", async (t) => {
  const scene = await stage(t)
  const { attempt } = await confined(scene, NO_SIGNING)
  const sign = signParams(scene.address)
  await refused(t, scene, "SESSION_SCOPE_DENIED", () => attempt(SIGN, sign))
  const several = { ...sign, payloads: [sign.payload] }
  await refused(t, scene, "SESSION_SCOPE_DENIED", () => attempt("SIGN_RAW_PAYLOADS", several))
  t.match(await attempt("CREATE_WALLET", wallet("in the session")), { is: "outcome" })
  t.match(await attempt(SIGN, sign, scene.acme.root), { is: "outcome" }, "the user's own key is not confined")

  const only = await confined(scene, "activity.type == 'ACTIVITY_TYPE_SIGN_RAW_PAYLOAD_V2'")
  t.match(await only.attempt(SIGN, sign), { is: "outcome" })
  const other = await confined(scene, `wallet.id == '${scene.walletId}'`)
  t.match(await other.attempt(SIGN, sign), { is: "outcome" })
  const second = valueOf(await asRoot(scene).submit("CREATE_WALLET", wallet("second")), "createWalletResult")
  const elsewhere = signParams(second.addresses[0]!)
  await refused(t, scene, "SESSION_SCOPE_DENIED", () => other.attempt(SIGN, elsewhere))
})

/** Typed data whose primary type has this name. */
function typedData(primaryType: string): string {
  const types = {
    EIP712Domain: [{ name: "name", type: "string" }],
    [primaryType]: [{ name: "text", type: "string" }],
  }
  return JSON.stringify({ types, primaryType, domain: { name: "Acme" }, message: { text: "hello" } })
}

t.test("B8: a session scope must allow every payload of a request", async (t) => {
  const scene = await stage(t)
  const { attempt } = await confined(scene, "eth.eip_712.primary_type == 'Mail'")
  const encoding = { encoding: "PAYLOAD_ENCODING_EIP712", hashFunction: "HASH_FUNCTION_NO_OP" }
  const sign = (...names: string[]) =>
    attempt("SIGN_RAW_PAYLOADS", { signWith: scene.address, payloads: names.map(typedData), ...encoding })
  t.match(await sign("Mail", "Mail"), { is: "outcome" })
  await refused(t, scene, "SESSION_SCOPE_DENIED", () => sign("Mail", "Permit"))
  await refused(t, scene, "SESSION_SCOPE_DENIED", () => sign("Permit", "Mail"))
  const hex = () => attempt(SIGN, signParams(scene.address))
  await refused(t, scene, "SESSION_SCOPE_UNDECIDED", hex, "what is no typed data has no primary type")
})

t.test("B8: a session profile of the parent confines a session of its sub-organization", async (t) => {
  const scene = await stage(t)
  const customer = await child(scene.seat, scene.acme)
  const { attempt } = await confined(scene, NO_SIGNING, customer)
  const sign = signParams(customer.address)
  await refused(t, scene, "SESSION_SCOPE_DENIED", () => attempt(SIGN, sign))
  t.match(await attempt(SIGN, sign, customer.root), { is: "outcome" })
  t.match(await attempt("CREATE_WALLET", wallet("in the session")), { is: "outcome" })
})

t.test("B8: a session scope that cannot be evaluated refuses every request", async (t) => {
  const scene = await stage(t)
  const { rootUserId } = scene.acme
  const byWallet = await confined(scene, "wallet.label == 'First' || activity.resource == 'USER'")
  const users = { users: [userParams("alice", newKey())] }
  await refused(t, scene, "SESSION_SCOPE_UNDECIDED", () => byWallet.attempt("CREATE_USERS_V4", users))
  t.match(await byWallet.attempt(SIGN, signParams(scene.address)), { is: "outcome" })

  // What the root quorum alone may do shows no activity: a scope that asks for it is an error.
  const { attempt } = await confined(scene, NO_SIGNING)
  const quorum = { threshold: 1, userIds: [rootUserId] }
  await refused(t, scene, "SESSION_SCOPE_UNDECIDED", () => attempt("UPDATE_ROOT_QUORUM", quorum))
  t.match(await attempt("CREATE_USERS_V4", users), { is: "outcome" })
})

t.test("B8: a confined session opens no session that is less confined", async (t) => {
  const scene = await stage(t)
  const { seat, acme } = scene
  const { attempt, sessionProfileId } = await confined(scene, NO_SIGNING)
  const wider = await confined(scene, "1 == 1")
  const publicKey = newKey().publicKeyHex
  const other = { publicKey, sessionProfileId: wider.sessionProfileId }
  await refused(t, scene, "SESSION_SCOPE_DENIED", () => attempt("STAMP_LOGIN", other))
  for (const wish of [{}, { sessionProfileId }]) {
    const key = newKey()
    const answer = await attempt("STAMP_LOGIN", { publicKey: key.publicKeyHex, ...wish })
    if (answer.is !== "outcome") return t.fail(JSON.stringify(answer))
    const { payload } = fromBinary(RecordSchema, answer.outcome.records.at(-1)!)
    t.equal(fromBinary(SessionRecordSchema, payload).scope?.sessionProfileId, sessionProfileId)
    const sign = seat.body(TYPE(SIGN), acme.organizationId, signParams(scene.address))
    await refused(t, scene, "SESSION_SCOPE_DENIED", () => seat.send(sign, key))
  }
  return undefined
})

t.test("B8: a confined session's vote is confined as well", async (t) => {
  const scene = await stage(t)
  const { seat, acme } = scene
  const { organizationId, rootUserId } = acme
  const alice = await seat.user(acme, "alice")
  const { submit } = asRoot(scene)
  const noSigning = await confined(scene, NO_SIGNING)
  const approving = await confined(scene, "activity.type == 'ACTIVITY_TYPE_APPROVE_ACTIVITY'")
  await submit("UPDATE_ROOT_QUORUM", { threshold: 2, userIds: [rootUserId, alice.userId] })
  const body = seat.body(TYPE(SIGN), organizationId, signParams(scene.address))
  t.match(await seat.send(body, alice.key), { is: "outcome" }, "waits for a second vote")
  const fingerprint = `sha256:${createHash("sha256").update(body).digest("hex")}`
  const approve = (key: TestKey) =>
    seat.send(seat.body(TYPE("APPROVE_ACTIVITY"), organizationId, { fingerprint }), key)
  await refused(t, scene, "SESSION_SCOPE_UNDECIDED", () => approve(noSigning.key))
  await refused(t, scene, "SESSION_SCOPE_DENIED", () => seat.send(body, noSigning.key), "by the same body")
  await refused(t, scene, "SESSION_SCOPE_DENIED", () => seat.send(body, approving.key), "nor that way")
  t.match(await approve(approving.key), { is: "outcome" })
})

t.test("A4: no record, database or restart removes a session's scope", async (t) => {
  const scene = await stage(t)
  const { boundary, seat, acme } = scene
  const { key, record } = await confined(scene, NO_SIGNING)
  const body = seat.body(TYPE(SIGN), acme.organizationId, signParams(scene.address))
  const stripped = fromBinary(RecordSchema, record)
  const session = fromBinary(SessionRecordSchema, stripped.payload)
  delete session.scope
  stripped.payload = toBinary(SessionRecordSchema, session)
  t.equal(stripped.kind, RecordKind.SESSION)
  const documents = [seat.documents.get(acme.organizationId)!]
  const keys = [...seat.records.values()]
  const forged = toBinary(RecordSchema, stripped)
  for (const restarts of [0, 1]) {
    if (restarts > 0) await boundary.restart()
    await refused(t, scene, "SESSION_SCOPE_DENIED", () => seat.send(body, key))
    // Nobody asks what is supplied for the session: the signer reads its own.
    const shown = () => seat.order(body, stampWith(key, body), { documents, records: [forged, ...keys] })
    await refused(t, scene, "SESSION_SCOPE_DENIED", shown, "whatever record is shown")
  }
})
