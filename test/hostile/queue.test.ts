import t from "tap"
import { fingerprintOf, stampWith } from "../harness/stamper.ts"
import { refused, setup } from "./setup.ts"

const TYPE = "ACTIVITY_TYPE_UPDATE_ROOT_QUORUM"
const HOUR_MS = 60 * 60 * 1000

t.test("A4: a body that waits past its hour in the queue does not run again", async (t) => {
  const fixture = await setup(t)
  const { boundary, client, acme } = fixture
  const { organizationId, root, rootUserId } = acme
  const alice = await client.user(acme, "alice")
  const sentMs = boundary.nowMs()
  const adds = client.body(
    TYPE,
    organizationId,
    { threshold: 1, userIds: [rootUserId, alice.userId] },
    sentMs,
  )
  const removes = client.body(TYPE, organizationId, { threshold: 1, userIds: [rootUserId] })
  for (const body of [adds, removes]) {
    t.match(await client.send(body, root), { is: "outcome" })
    await client.acknowledge(organizationId, fingerprintOf(body), root.publicKeyHex)
  }

  boundary.clock.pass(sentMs + HOUR_MS - 1 - boundary.clock.wallMs())
  // An order that occupies the queue, then the old body, still valid on arrival; time passes while it waits.
  const filler = client.body("ACTIVITY_TYPE_CREATE_WALLET", organizationId, {
    walletName: "Filler",
    accounts: [],
  })
  const first = client.order(filler, stampWith(root, filler))
  const replayed = client.offer(adds, stampWith(root, adds))
  boundary.clock.pass(2)
  await boundary.signer.purge()
  t.match(await first, { is: "outcome" })
  await refused(t, fixture, "REQUEST_STALE", () => replayed, "its hour is over when its turn comes")
})
