// While policies are compiled, time passes and fingerprints expire. The API tier chooses how many turns come between.
import t from "tap"
import { fingerprintOf, stampWith } from "../harness/stamper.ts"
import { observeTurns } from "./observed-turns.ts"
import { asRoot, refused, setup } from "./setup.ts"

const HOUR_MS = 60 * 60 * 1000

const policies = (name: string) =>
  Array.from({ length: 5 }, (_, index) => ({
    policyName: `${name} ${index}`,
    effect: "EFFECT_ALLOW",
    notes: "",
    condition: `wallet.id == '${name} ${index}'`,
    consensus: `approvers.any(u, u.id == '${name} ${index}')`,
  }))

t.test("A4: a body whose hour ends while policies are compiled does not run again", async (t) => {
  const fixture = await setup(t)
  const { boundary, client, acme } = fixture
  const { organizationId, root } = acme
  const { submit } = asRoot(fixture)
  const sentMs = boundary.nowMs()
  const body = client.body("ACTIVITY_TYPE_CREATE_WALLET", organizationId, { walletName: "One", accounts: [] })
  const made = await client.send(body, root)
  t.match(made, { is: "outcome" })
  await client.acknowledge(organizationId, fingerprintOf(body), root.publicKeyHex)
  // The user deletes the wallet: the same body could make another of its name.
  const [walletId] = [...client.records.keys()].slice(-1)
  await submit("DELETE_WALLETS", { walletIds: [walletId], deleteWithoutExport: true })
  await submit("CREATE_POLICIES", { policies: policies("slow") })
  const turns = observeTurns(t, fixture)
  const again = () => client.offer(body, stampWith(root, body))

  boundary.clock.pass(sentMs + HOUR_MS - 1 - boundary.clock.wallMs())
  await refused(t, fixture, "ACTIVITY_REPLAYED", again, "its unaltered twin, in the hour's last millisecond")
  await submit("CREATE_POLICIES", { policies: policies("slower") })
  turns.isHolding = true
  const document = client.documents.get(organizationId)!
  const before = turns.of(organizationId)
  const late = client.order(body, stampWith(root, body), { document })
  await new Promise((resolve) => setImmediate(resolve))
  t.equal(turns.of(organizationId) - before, 1, "the order waits for a turn")
  boundary.clock.pass(1)
  await boundary.signer.purge()
  const finish = () => {
    turns.release()
    return late
  }
  await refused(t, fixture, "REQUEST_STALE", finish, "its fingerprint was forgotten")
})
