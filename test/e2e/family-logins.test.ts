// Logins that name only the parent, through the whole system, as clients send that know one organization id.
import { fromJson } from "@bufbuild/protobuf"
import t from "tap"
import { PinsSchema } from "../../proto/gen/countersign/state/v1/setup_pb.ts"
import { type Evidence, verifyProofs } from "../../signer/core/proof/verify/index.ts"
import { apiKey, userParams } from "../harness/api-client.ts"
import { sharedSystem } from "../harness/shared-system.ts"
import { newKey, type TestKey } from "../harness/stamper.ts"
import { subOrganization } from "../harness/sub-organization.ts"
import type { Json } from "../harness/system.ts"

t.test("a login that names the parent answers with the sub-organization's activity", async (t) => {
  const system = await sharedSystem()
  const acme = await system.createOrganization()
  const found = async (key: TestKey) => {
    const parameters = subOrganization([{ name: "root", key }], { wallet: undefined })
    const body = system.body("CREATE_SUB_ORGANIZATION_V7", acme.organizationId, parameters)
    const { result } = await system.submit("create_sub_organization", body, acme.root)
    const { subOrganizationId } = (result as { createSubOrganizationResultV7: { subOrganizationId: string } })
      .createSubOrganizationResultV7
    return subOrganizationId
  }
  const loginBody = () =>
    system.body("STAMP_LOGIN", acme.organizationId, { publicKey: newKey().publicKeyHex })
  const login = (body: string, key: TestKey) => system.post("submit/stamp_login", body, key)

  const key = newKey()
  const mine = await found(key)
  const body = loginBody()
  const first = await login(body, key)
  t.match(first, {
    status: 200,
    json: { activity: { organizationId: mine, status: "ACTIVITY_STATUS_COMPLETED" } },
  })
  t.same((await login(body, key)).json, first.json, "the same body is the same activity")
  const { id } = first.json["activity"] as Json
  const { json } = await system.query("get_activity", { organizationId: mine, activityId: id }, key)
  t.match(json, { activity: { id, organizationId: mine, votes: [{ publicKey: key.publicKeyHex }] } })

  const other = await found(key)
  const again = await login(loginBody(), key)
  t.match(
    again,
    { status: 200, json: { activity: { organizationId: mine } } },
    "created before the other came",
  )
  for (const organizationId of [mine, other]) {
    const named = system.body("STAMP_LOGIN", organizationId, { publicKey: newKey().publicKeyHex })
    t.equal((await login(named, key)).status, 200)
  }
  const torn = await login(loginBody(), key)
  t.match(torn, { status: 401, json: { turnkeyErrorCode: "CREDENTIAL_CONFLICT" } })
  t.match(torn.json["message"], /more than one suborg associated with a public key/)

  const stranger = await login(loginBody(), newKey())
  t.match(stranger, { status: 401, json: { turnkeyErrorCode: "PUBLIC_KEY_NOT_FOUND" } })
  const parents = await login(loginBody(), acme.root)
  t.match(parents, { status: 200, json: { activity: { organizationId: acme.organizationId } } })
})

t.test("a parent's user who registers a customer's key gets none of the customer's logins", async (t) => {
  const system = await sharedSystem()
  const acme = await system.createOrganization()
  const mallory = newKey()
  const users = { users: [userParams("mallory", mallory)] }
  await system.submit("create_users", system.body("CREATE_USERS_V3", acme.organizationId, users), acme.root)
  const whoami = await system.query("whoami", { organizationId: acme.organizationId }, mallory)
  const login = (by: TestKey, { publicKeyHex: publicKey }: TestKey) =>
    system.post("submit/stamp_login", system.body("STAMP_LOGIN", acme.organizationId, { publicKey }), by)
  const attacks: Record<string, (key: TestKey) => Promise<unknown>> = {
    "a session": (key) => login(mallory, key),
    "an API key": (key) => {
      const given = { userId: whoami.json["userId"], apiKeys: [apiKey(key)] }
      const body = system.body("CREATE_API_KEYS_V2", acme.organizationId, given)
      return system.submit("create_api_keys", body, mallory)
    },
  }
  for (const [what, attack] of Object.entries(attacks)) {
    const key = newKey()
    const parameters = subOrganization([{ name: "root", key }], { wallet: undefined })
    const creation = system.body("CREATE_SUB_ORGANIZATION_V7", acme.organizationId, parameters)
    const { result } = await system.submit("create_sub_organization", creation, acme.root)
    const { subOrganizationId: organizationId, rootUserIds } = (
      result as { createSubOrganizationResultV7: { subOrganizationId: string; rootUserIds: string[] } }
    ).createSubOrganizationResultV7
    await attack(key)
    const home = { activity: { organizationId, votes: [{ userId: rootUserIds[0] }] } }
    t.match(await login(key, newKey()), { status: 200, json: home }, what)
  }
})

t.test("a denied login is listed in the sub-organization, with its proof", async (t) => {
  const system = await sharedSystem()
  const acme = await system.createOrganization()
  const [owner, key] = [newKey(), newKey()]
  const found = async () => {
    const parameters = subOrganization([{ name: "owner", key: owner }], { wallet: undefined })
    const body = system.body("CREATE_SUB_ORGANIZATION_V7", acme.organizationId, parameters)
    const { result } = await system.submit("create_sub_organization", body, acme.root)
    const { subOrganizationId } = (result as { createSubOrganizationResultV7: { subOrganizationId: string } })
      .createSubOrganizationResultV7
    const users = { users: [userParams("guest", key)] }
    await system.submit("create_users", system.body("CREATE_USERS_V3", subOrganizationId, users), owner)
    return subOrganizationId
  }
  const [mine] = [await found(), await found()]
  const session = () => ({ publicKey: newKey().publicKeyHex })
  await system.submit("stamp_login", system.body("STAMP_LOGIN", mine, session()), key)
  const never = {
    policyName: "no logins",
    effect: "EFFECT_DENY",
    condition: "activity.type == 'ACTIVITY_TYPE_STAMP_LOGIN'",
    notes: "",
  }
  await system.submit("create_policy", system.body("CREATE_POLICY_V3", mine, never), owner)

  const plain = JSON.parse(system.body("STAMP_LOGIN", acme.organizationId, session())) as object
  const body = JSON.stringify({ ...plain, generateAppProofs: true })
  for (const attempt of [1, 2])
    t.equal((await system.post("submit/stamp_login", body, key)).status, 403, `attempt ${attempt}`)
  const failed = async (organizationId: string, by: TestKey) => {
    const filterByStatus = ["ACTIVITY_STATUS_FAILED"]
    const { json } = await system.query("list_activities", { organizationId, filterByStatus }, by)
    return json["activities"] as Json[]
  }
  t.strictSame(await failed(acme.organizationId, acme.root), [])
  const shown = await failed(mine, key)
  t.equal(shown.length, 1)
  const [activity] = shown as [Json]
  const proofs = activity["appProofs"] as Evidence["proofs"]
  const asked = { organizationId: mine, ephemeralKey: proofs[0]?.publicKey }
  const { bootProof } = (await system.query("get_boot_proof", asked, key)).json
  const pins = fromJson(PinsSchema, (await system.send("/public/v1/pins", {})).json as never)
  const report = verifyProofs({ proofs, bootProofs: [bootProof as Json], pins, activity })
  t.equal(report.verified, true, report)
})
