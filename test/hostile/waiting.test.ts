import t from "tap"
import { signParams } from "../harness/api-seat.ts"
import { stampWith } from "../harness/stamper.ts"
import { quorumOfThree } from "./quorum.ts"
import { refused } from "./stage.ts"

t.test("an organization has at most a thousand activities waiting, and can still settle them", async (t) => {
  const scene = await quorumOfThree(t)
  const { seat, acme, alice, propose, approve } = scene
  const { organizationId, root } = acme
  const type = "ACTIVITY_TYPE_SIGN_RAW_PAYLOAD_V2"
  const wish = (index: number) =>
    seat.body(type, organizationId, signParams("0x00", index.toString(16).padStart(64, "0")))
  const { fingerprint } = await propose()
  await Promise.all(Array.from({ length: 999 }, (_, index) => seat.send(wish(index), root)))
  const oneMore = wish(1000)
  await refused(t, scene, "LIMIT_EXCEEDED", () => seat.offer(oneMore, stampWith(root, oneMore)))
  t.ok(await approve(alice, fingerprint))
})
