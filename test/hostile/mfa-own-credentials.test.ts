import t, { type Test } from "tap"
import { ActivityStatus } from "../../proto/gen/countersign/api/v1/enums_pb.ts"
import { apiKey, valueOf } from "../harness/api-client.ts"
import { Passkey } from "../harness/authenticator.ts"
import { fingerprintOf, newKey, stampWith } from "../harness/stamper.ts"
import { asRoot, refused, setup } from "./setup.ts"

const { AUTHENTICATORS_NEEDED, REJECTED } = ActivityStatus
const PASSKEY = { type: "AUTHENTICATION_TYPE_PASSKEY" }
const HOUR_MS = 60 * 60 * 1000

/** dan's signatures require a passkey; the stolen key of dan proposed a passkey of the thief. */
async function robbery(t: Test) {
  const fixture = await setup(t)
  const { client, acme } = fixture
  const { organizationId } = acme
  const { userId } = await client.user(acme, "dan")
  const [stolen, passkey, forged] = [newKey(), new Passkey(), new Passkey()]
  const added = await asRoot(fixture).submit("CREATE_API_KEYS_V2", {
    userId,
    apiKeys: [apiKey(stolen, "stolen")],
  })
  await asRoot(fixture).submit("CREATE_AUTHENTICATORS_V2", { userId, authenticators: [passkey.create()] })
  await asRoot(fixture).submit("CREATE_MFA_POLICY", {
    userId,
    mfaPolicyName: "signing",
    condition: "activity.action == 'SIGN'",
    requiredAuthenticationMethods: [{ any: [PASSKEY] }],
    order: 0,
  })
  const parameters = { userId, authenticators: [forged.create()] }
  const body = client.body("ACTIVITY_TYPE_CREATE_AUTHENTICATORS_V2", organizationId, parameters)
  t.match(await client.send(body, stolen), { outcome: { status: AUTHENTICATORS_NEEDED } })

  const fingerprint = `sha256:${fingerprintOf(body)}`
  const vote = (type: string) =>
    client.body(`ACTIVITY_TYPE_${type}_ACTIVITY`, organizationId, { fingerprint })
  const { apiKeyIds } = valueOf(added, "createApiKeysResult")
  return {
    ...fixture,
    reject: () => client.send(vote("REJECT"), acme.root),
    removeStolenKey: () => asRoot(fixture).submit("DELETE_API_KEYS", { userId, apiKeyIds }),
    rootWaits: async (when: string) => {
      const approval = vote("APPROVE")
      const attack = () => client.offer(approval, stampWith(acme.root, approval))
      await refused(t, fixture, "AUTHENTICATION_AWAITED", attack, when)
    },
  }
}

t.test(
  "A5: an activity submitted with a stolen key cannot be approved once the key is deleted",
  async (t) => {
    const fixture = await robbery(t)
    const { boundary, reject, removeStolenKey, rootWaits } = fixture
    await rootWaits("while the key is there")
    await removeStolenKey()
    await rootWaits("once it is gone")
    await boundary.restart()
    await rootWaits("after a restart")
    t.match(await reject(), { outcome: { status: REJECTED } }, "it can only be rejected")
  },
)

t.test(
  "A5: an activity submitted with a stolen key cannot be approved once its stamp has expired",
  async (t) => {
    const fixture = await robbery(t)
    const { boundary, reject, rootWaits } = fixture
    await rootWaits("while it counts")
    boundary.clock.pass(25 * HOUR_MS)
    await rootWaits("once it has lapsed")
    await boundary.restart()
    await rootWaits("after a restart")
    t.match(await reject(), { outcome: { status: REJECTED } }, "it can only be rejected")
  },
)
