import t from "tap"
import { Phase } from "../../proto/gen/countersign/signer/v1/phase_pb.ts"
import type { RefusalName } from "../../signer/core/refusal.ts"
import { signParams } from "../harness/api-client.ts"
import { stampWith } from "../harness/stamper.ts"
import { refused, type Fixture, setup } from "./setup.ts"
import { operatorHandlers, signerHandlers } from "../../signer/enclave/rpc/index.ts"

const { acceptClock, getStatus } = operatorHandlers
const { getOrganizationHead, getPins, probe, readArchive } = signerHandlers

const HOUR_MS = 60 * 60 * 1000

function request({ client, acme, address }: Fixture) {
  const body = client.body("ACTIVITY_TYPE_SIGN_RAW_PAYLOAD_V2", acme.organizationId, signParams(address))
  return () => client.offer(body, stampWith(acme.root, body))
}

t.test(
  "C3: started with a clock that contradicts the ledger, the signer decides nothing and says why",
  async (t) => {
    for (const jumpMs of [
      -6 * 60_000,
      -10 * 365 * 24 * HOUR_MS,
      29 * 24 * HOUR_MS,
      10 * 365 * 24 * HOUR_MS,
    ]) {
      const fixture = await setup(t)
      const { boundary, acme } = fixture
      const { organizationId } = acme
      boundary.clock.setWall(boundary.clock.wallMs() + jumpMs)
      await boundary.restart()
      const code = "CLOCK_UNTRUSTED"
      t.match(await request(fixture)(), { is: "refused", code }, `${jumpMs / HOUR_MS} h`)
      t.match(await getStatus({}, boundary.signer), { phase: Phase.CLOCK_UNTRUSTED, explanation: /clock/ })
      t.ok((await getPins({}, boundary.signer)).pins.deploymentId, "who it is may be known")
      await t.rejects(boundary.recover(""), { code })
      await t.rejects(boundary.createSetupCode(acme.root.publicKeyHex), { code })
      const archive = { organizationId, afterRecordId: "", activityFingerprints: [] } as never
      t.ok((await readArchive(archive, boundary.signer)).document, "the archive depends on no time")
      const nonce = new Uint8Array(16)
      await t.rejects(getOrganizationHead({ organizationId, nonce } as never, boundary.signer), { code })
      await t.rejects(probe({ nonce } as never, boundary.signer), { code }, "it does not look ready either")
      await acceptClock({}, boundary.signer)
      if (jumpMs > 0) t.match(await request(fixture)(), { is: "outcome" }, "an operator accepts it")
      else
        t.match(
          await request(fixture)(),
          { is: "refused", code },
          "accepted, but silent until that time comes again",
        )
      if (jumpMs < 0) boundary.clock.pass(Math.max(65 * 60_000, -jumpMs))
      t.match(await getStatus({}, boundary.signer), { phase: Phase.READY })
      t.match(await request(fixture)(), { is: "outcome" })
    }
  },
)

t.test("C3: changes of the host's clock have no effect while the signer runs", async (t) => {
  const fixture = await setup(t)
  const { boundary, client, acme, address } = fixture
  const attempt = request(fixture)
  const startMs = boundary.clock.wallMs()
  for (const jumpMs of [-48 * HOUR_MS, 48 * HOUR_MS]) {
    boundary.clock.setWall(startMs + jumpMs)
    t.match(await attempt(), { is: "outcome" }, "a body of this hour is live")
    const type = "ACTIVITY_TYPE_SIGN_RAW_PAYLOAD_V2"
    const body = client.body(type, acme.organizationId, signParams(address), startMs + jumpMs)
    const code = jumpMs < 0 ? "REQUEST_STALE" : "REQUEST_FROM_FUTURE"
    await refused(t, fixture, code, () => client.offer(body, stampWith(acme.root, body)))
  }
})

t.test("a host's clock that is corrected, or that leaves the signer's time, is shown as it is", async (t) => {
  const fixture = await setup(t)
  const { boundary } = fixture
  const startMs = boundary.clock.wallMs()
  boundary.clock.setWall(startMs + 3650 * 24 * HOUR_MS)
  await boundary.restart()
  const both = new RegExp(`says 20[\\dT:.-]+Z.*ledger is ${new Date(startMs).toISOString()}`)
  t.match(await getStatus({}, boundary.signer), { phase: Phase.CLOCK_UNTRUSTED, explanation: both })
  boundary.clock.setWall(startMs)
  t.match(await getStatus({}, boundary.signer), { phase: Phase.READY, explanation: "answers everything" })
  t.match(await request(fixture)(), { is: "outcome" })
  boundary.clock.setWall(startMs + HOUR_MS)
  t.match(await getStatus({}, boundary.signer), {
    phase: Phase.READY,
    explanation: /host's clock says .*Z, the signer's time is .*Z/,
  })
})

t.test("accept-clock is refused unless the clock is in doubt", async (t) => {
  const fixture = await setup(t)
  await t.rejects(acceptClock({}, fixture.boundary.signer), { code: "PHASE_WRONG" })
  t.match(await request(fixture)(), { is: "outcome" })
})

t.test("A8: heads and archives are returned for existing organizations only", async (t) => {
  const { boundary, acme } = await setup(t)
  const nonce = new Uint8Array(16)
  const notThere: [organizationId: string, code: RefusalName][] = [
    [acme.rootUserId, "ORGANIZATION_UNKNOWN"],
    ["", "REQUEST_INVALID"],
    [`${acme.organizationId} `, "REQUEST_INVALID"],
    ["x", "REQUEST_INVALID"],
  ]
  for (const [organizationId, code] of notThere) {
    await t.rejects(getOrganizationHead({ organizationId, nonce } as never, boundary.signer), { code })
    await t.rejects(
      readArchive({ organizationId, afterRecordId: "", activityFingerprints: [] } as never, boundary.signer),
      { code },
    )
  }
  const { organizationId } = acme
  t.ok(
    (
      await readArchive(
        { organizationId, afterRecordId: "", activityFingerprints: [] } as never,
        boundary.signer,
      )
    ).document,
  )
  const short = { organizationId, nonce: new Uint8Array(15) } as never
  await t.rejects(getOrganizationHead(short, boundary.signer), { code: "REQUEST_INVALID" })
})
