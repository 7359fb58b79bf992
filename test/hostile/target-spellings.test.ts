import t from "tap"
import { Reader } from "../harness/bundles.ts"
import { asRoot, refused, setup } from "./setup.ts"

t.test("A5: no spelling of an export's target key avoids a DENY policy", async (t) => {
  const fixture = await setup(t)
  const { client, acme, walletId } = fixture
  const { targetPublicKey } = new Reader()
  const eve = await client.user(acme, "eve")
  const policies = {
    "exports are open": { effect: "EFFECT_ALLOW", condition: "activity.kind == 'EXPORT_WALLET'" },
    "but not for this key": {
      effect: "EFFECT_DENY",
      condition: `activity.params.target_public_key == '${targetPublicKey}'`,
    },
  }
  for (const [policyName, policy] of Object.entries(policies))
    await asRoot(fixture).submit("CREATE_POLICY_V3", { policyName, ...policy, notes: "" })
  const request = (key: string) =>
    client.body("ACTIVITY_TYPE_EXPORT_WALLET", acme.organizationId, { walletId, targetPublicKey: key })
  for (const key of [
    targetPublicKey,
    targetPublicKey.toUpperCase(),
    targetPublicKey.replace(/[ace]/g, (digit) => digit.toUpperCase()),
  ])
    await refused(t, fixture, "PERMISSION_DENIED", () => client.send(request(key), eve.key), key)
  const other = new Reader().targetPublicKey.toUpperCase()
  t.match(await client.send(request(other), eve.key), { is: "outcome" })
})
