// Proofs through all processes, as a client gets them.
import { fromJson } from "@bufbuild/protobuf"
import { verifyAppProofSignature } from "@turnkey/crypto"
import t, { type Test } from "tap"
import { PinsSchema } from "../../proto/gen/countersign/state/v1/setup_pb.ts"
import { verifyProofs } from "../../signer/core/proof/verify/index.ts"
import { requireActivity, requireError } from "../contract/replies.ts"
import { ethereumAccount, signParams, userParams } from "../harness/api-client.ts"
import { freshDatabase } from "../harness/database.ts"
import { DocumentedApi } from "../harness/documented-api.ts"
import { fingerprintOf, newKey } from "../harness/stamper.ts"
import { type Json, System } from "../harness/system.ts"
import { requireAnswered } from "./replies/asked-by.ts"

type Created = { createUsersResult: { userIds: string[] } }
type Proof = { scheme: "SIGNATURE_SCHEME_EPHEMERAL_KEY_P256" } & Record<
  "publicKey" | "proofPayload" | "signature",
  string
>

t.test("activities carry proofs on request", async (t) => {
  const { url, sql } = await freshDatabase(t)
  const system = await System.start(url)
  t.teardown(() => system.stop())
  const api = await DocumentedApi.of(system)
  const { query, refused, organizationId, root, rootUserId } = api
  const asking = (type: string, parameters: object) => {
    const body = JSON.parse(system.body(type, organizationId, parameters)) as object
    return JSON.stringify({ ...body, generateAppProofs: true })
  }
  const wallet = { walletName: "Proven", accounts: [ethereumAccount(0)] }
  const body = asking("CREATE_WALLET", wallet)
  const { json } = await system.post("submit/create_wallet", body, root)
  const activity = requireActivity(json, { type: "ACTIVITY_TYPE_CREATE_WALLET", parameters: wallet })
  const proofs = activity["appProofs"] as Proof[]
  const [proof] = proofs as [Proof]
  const { addresses } = (activity["result"] as { createWalletResult: { addresses: string[] } })
    .createWalletResult

  /** Verifies an activity of a reply with a boot proof and the pins. */
  const requireVerified = async (t: Pick<Test, "equal">, shown: Json) => {
    const shownProofs = shown["appProofs"] as Proof[]
    const ephemeralKey = shownProofs[0]?.publicKey
    const { bootProof } = await query("get_boot_proof", { ephemeralKey })
    const pins = fromJson(PinsSchema, (await system.send("/public/v1/pins", {})).json as never)
    const bootProofs = [bootProof as Json]
    const report = verifyProofs({ proofs: shownProofs, bootProofs, pins, activity: shown })
    t.equal(report.verified, true, report)
  }

  t.test("the published verifier accepts the proofs", async (t) => {
    t.equal(proofs.length, 2)
    for (const one of proofs) t.doesNotThrow(() => verifyAppProofSignature(one))
    t.match(JSON.parse(proof.proofPayload), { addressDerivationProof: { address: addresses[0] } })
  })

  t.test("proofs accompany the activity in every query", async (t) => {
    const again = await system.post("submit/create_wallet", body, root)
    t.same((again.json["activity"] as Json)["appProofs"], proofs, "the same body answers the same proofs")
    const { activity: shown } = await query("get_activity", { activityId: activity["id"] })
    t.same((shown as Json)["appProofs"], proofs)
    await requireVerified(t, shown as Json)
    t.same(await query("list_app_proofs", { activityId: activity["id"] }), { appProofs: proofs })
  })

  t.test("a signature is proven, and its replay returns the same proof", async (t) => {
    const signing = asking("SIGN_RAW_PAYLOAD_V2", signParams(addresses[0]!))
    const first = await system.post("submit/sign_raw_payload", signing, root)
    const signed = (first.json["activity"] as Json)["appProofs"] as Proof[]
    t.equal(signed.length, 1)
    t.doesNotThrow(() => verifyAppProofSignature(signed[0]!))
    await requireVerified(t, first.json["activity"] as Json)
    const second = await system.post("submit/sign_raw_payload", signing, root)
    t.same((second.json["activity"] as Json)["appProofs"], signed)
  })

  t.test("without a request for proofs the reply has no such member", async (t) => {
    const plain = system.body("SIGN_RAW_PAYLOAD_V2", organizationId, signParams(addresses[0]!))
    const unasked = JSON.stringify({ ...(JSON.parse(plain) as object), generateAppProofs: false })
    for (const one of [plain, unasked]) {
      const reply = await system.post("submit/sign_raw_payload", one, root)
      t.notOk("appProofs" in (reply.json["activity"] as Json))
      const { id } = reply.json["activity"] as { id: string }
      t.same(await query("list_app_proofs", { activityId: id }), { appProofs: [] })
    }
    const wrong = JSON.stringify({ ...(JSON.parse(plain) as object), generateAppProofs: "yes" })
    const reply = await system.post("submit/sign_raw_payload", wrong, root)
    t.equal(reply.status, 400)
    requireError(reply.json, 3)
  })

  t.test("a denial is proven with its failed activity", async (t) => {
    const eve = newKey()
    const users = system.body("CREATE_USERS_V3", organizationId, { users: [userParams("eve", eve)] })
    await system.submit("create_users", users, root)
    const denied = asking("SIGN_RAW_PAYLOAD_V2", signParams(addresses[0]!))
    for (const attempt of [1, 2]) {
      const reply = await system.post("submit/sign_raw_payload", denied, eve)
      t.equal(reply.status, 403, `attempt ${attempt}`)
    }
    const failed = { filterByStatus: ["ACTIVITY_STATUS_FAILED"] }
    const { json } = await system.query("list_activities", { organizationId, ...failed }, root)
    const [shown] = json["activities"] as [Json]
    const [denial] = shown["appProofs"] as [Proof]
    t.doesNotThrow(() => verifyAppProofSignature(denial))
    t.match(JSON.parse(denial.proofPayload), { policyOutcomeProof: { outcome: "OUTCOME_DENY_IMPLICIT" } })
    await requireVerified(t, shown)
  })

  t.test("an unknown activity has no proofs to list", async () => {
    const activityId = "00000000-0000-4000-8000-000000000000"
    await refused("list_app_proofs", { activityId }, [404, 5])
  })

  t.test("the key is tied to the deployment by a boot proof, and outlives its process", async (t) => {
    const { bootProof } = await query("get_boot_proof", { ephemeralKey: proof.publicKey })
    t.match(bootProof, {
      ephemeralPublicKeyHex: proof.publicKey,
      awsAttestationDocB64: "",
      enclaveApp: "signer",
      qosManifestVersion: "countersign/v1",
    })
    t.same((await query("get_latest_boot_proof", { appName: "signer" }))["bootProof"], bootProof)
    await system.killSigner()
    await system.startSigner()
    t.same((await query("get_boot_proof", { ephemeralKey: proof.publicKey }))["bootProof"], bootProof)
    const next = (await query("get_latest_boot_proof", { appName: "signer" }))["bootProof"] as Json
    t.not(next["ephemeralPublicKeyHex"], proof.publicKey, "another process, another key")
    t.match(await sql`select count(*)::int as rows from boot_proofs`, [{ rows: 2 }])
    for (const [path, parameters] of [
      ["get_boot_proof", { ephemeralKey: "04".repeat(130) }],
      ["get_latest_boot_proof", { appName: "ump" }],
    ] as const)
      await refused(path, parameters, [404, 5])
  })

  t.test("a pending activity carries the proof of its latest decision", async (t) => {
    const bob = newKey()
    const users = system.body("CREATE_USERS_V3", organizationId, { users: [userParams("bob", bob)] })
    const { createUsersResult } = (await system.submit("create_users", users, root))["result"] as Created
    const quorum = { threshold: 2, userIds: [rootUserId, ...createUsersResult.userIds] }
    await system.submit("update_root_quorum", system.body("UPDATE_ROOT_QUORUM", organizationId, quorum), root)
    const waiting = asking("CREATE_WALLET", { ...wallet, walletName: "Together" })
    const opened = (await system.post("submit/create_wallet", waiting, root)).json["activity"] as Json
    const outcomes = (shown: Json) =>
      (shown["appProofs"] as Proof[]).map(
        ({ proofPayload }) =>
          (JSON.parse(proofPayload) as { policyOutcomeProof?: { outcome: string } }).policyOutcomeProof
            ?.outcome,
      )
    t.same(outcomes(opened), ["OUTCOME_REQUIRES_CONSENSUS"])
    const fingerprint = `sha256:${fingerprintOf(waiting)}`
    const approval = system.body("APPROVE_ACTIVITY", organizationId, { fingerprint })
    const done = (await system.post("submit/approve_activity", approval, bob)).json["activity"] as Json
    t.equal(done["status"], "ACTIVITY_STATUS_COMPLETED")
    t.same(outcomes(done), [undefined, "OUTCOME_ALLOW"])
    const unwanted = asking("CREATE_WALLET", { ...wallet, walletName: "Never" })
    await system.post("submit/create_wallet", unwanted, root)
    const named = { fingerprint: `sha256:${fingerprintOf(unwanted)}` }
    const rejection = system.body("REJECT_ACTIVITY", organizationId, named)
    const rejected = (await system.post("submit/reject_activity", rejection, bob)).json["activity"] as Json
    t.same(outcomes(rejected), ["OUTCOME_REJECTED"])
    for (const shown of [opened, done, rejected]) await requireVerified(t, shown)
  })

  requireAnswered(t, api, "proof")
})
