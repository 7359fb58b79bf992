import t from "tap"
import { signParams } from "../harness/api-client.ts"
import { stampWith } from "../harness/stamper.ts"
import { refused, setup } from "./setup.ts"

const MINUTE_MS = 60 * 1000

t.test(
  "a denied body is decided again within its hour by the current policies, and never after",
  async (t) => {
    const fixture = await setup(t)
    const { boundary, client, acme, address } = fixture
    const { organizationId, root } = acme
    const eve = await client.user(acme, "eve")
    const bodyOf = (type: string, parameters: object) => {
      const body = JSON.parse(client.body(`ACTIVITY_TYPE_${type}`, organizationId, parameters))
      return JSON.stringify({ ...body, generateAppProofs: true })
    }
    const bodies = [
      bodyOf("SIGN_RAW_PAYLOAD_V2", signParams(address)),
      bodyOf("CREATE_WALLET", { walletName: "Eve's", accounts: [] }),
    ]
    const late = bodyOf("CREATE_WALLET", { walletName: "Too late", accounts: [] })
    const send = (body: string) => () => client.offer(body, stampWith(eve.key, body))
    for (const body of [...bodies, late]) {
      await refused(t, fixture, "PERMISSION_DENIED", send(body), "nothing is noted of a denial")
    }
    boundary.clock.pass(50 * MINUTE_MS)
    for (const body of bodies) await refused(t, fixture, "PERMISSION_DENIED", send(body), "while rules stay")
    await client.submit(root, "ACTIVITY_TYPE_CREATE_POLICY_V3", organizationId, {
      policyName: "eve may",
      effect: "EFFECT_ALLOW",
      condition: "activity.action == 'SIGN' || activity.resource == 'WALLET'",
      consensus: `approvers.any(u, u.id == '${eve.userId}')`,
      notes: "",
    })
    for (const body of bodies) t.match(await send(body)(), { is: "outcome" }, "as if it had come now first")
    boundary.clock.pass(11 * MINUTE_MS)
    for (const body of [...bodies, late])
      await refused(t, fixture, "REQUEST_STALE", send(body), "its hour is over")
  },
)
