import t from "tap"
import { fingerprintOf, stampWith } from "../harness/stamper.ts"
import { refused, stage } from "./stage.ts"

const TYPE = "ACTIVITY_TYPE_UPDATE_ROOT_QUORUM"
const HOUR_MS = 60 * 60 * 1000

t.test("A4: a body that waits past its hour in the queue does not run again", async (t) => {
  const scene = await stage(t)
  const { boundary, seat, acme } = scene
  const { organizationId, root, rootUserId } = acme
  const alice = await seat.user(acme, "alice")
  const sentMs = boundary.nowMs()
  const adds = seat.body(TYPE, organizationId, { threshold: 1, userIds: [rootUserId, alice.userId] }, sentMs)
  const removes = seat.body(TYPE, organizationId, { threshold: 1, userIds: [rootUserId] })
  for (const body of [adds, removes]) {
    t.match(await seat.send(body, root), { is: "outcome" })
    await seat.acknowledge(organizationId, fingerprintOf(body), root.publicKeyHex)
  }

  boundary.clock.pass(sentMs + HOUR_MS - 1 - boundary.clock.wallMs())
  // Something that takes a turn, then the old body, still live as it arrives; time passes while it waits.
  const filler = seat.body("ACTIVITY_TYPE_CREATE_WALLET", organizationId, {
    walletName: "Filler",
    accounts: [],
  })
  const first = seat.order(filler, stampWith(root, filler))
  const replayed = seat.offer(adds, stampWith(root, adds))
  boundary.clock.pass(2)
  await boundary.signer.purge()
  t.match(await first, { is: "outcome" })
  await refused(t, scene, "REQUEST_STALE", () => replayed, "its hour is over when its turn comes")
})
