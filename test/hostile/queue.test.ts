import t from "tap"
import { fingerprintOf, stampWith } from "../harness/stamper.ts"
import { documentOf } from "../harness/document.ts"
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

  const lastLiveMs = sentMs + HOUR_MS - 1
  const wallet = { walletName: "Filler", accounts: [] }
  const filler = client.body("ACTIVITY_TYPE_CREATE_WALLET", organizationId, wallet, lastLiveMs)
  boundary.clock.pass(lastLiveMs - boundary.clock.wallMs())
  const again = () => client.order(adds, stampWith(root, adds))
  await refused(t, fixture, "ACTIVITY_REPLAYED", again, "live, and its fingerprint is known")
  // An order that occupies the queue, then the old body, still live on arrival; its fingerprint is purged while it waits.
  const first = client.order(filler, stampWith(root, filler))
  const replayed = again()
  boundary.clock.pass(1)
  await boundary.signer.purge()
  t.match(await first, { is: "outcome" })
  t.match(await replayed, { is: "refused", code: "REQUEST_STALE" }, "its hour is over when its turn comes")
  const isKnown = boundary.signer.state().ledger.row(organizationId, "fingerprint", fingerprintOf(adds))
  t.equal(isKnown, undefined, "nothing but its age keeps it out")
  t.same(documentOf(client, organizationId).rootQuorum?.userIds, [rootUserId])
})
