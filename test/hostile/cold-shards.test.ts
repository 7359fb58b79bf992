// The first order of an organization after a start of the signer verifies the rows that the ledger has of it.
import t from "tap"
import { MAX_UNVERIFIED_BODY_BYTES } from "../../signer/core/wire.ts"
import { LedgerMac } from "../../signer/enclave/ledger/mac.ts"
import { ethereumAccount, signParams } from "../harness/api-client.ts"
import { stampWith } from "../harness/stamper.ts"
import { observeTurns } from "./observed-turns.ts"
import { asRoot, setup } from "./setup.ts"

const ACCOUNTS = 200
const ROWS_PER_STEP = 20

t.test("B3: an organization's own rows are verified in slices, once for all orders that wait", async (t) => {
  const fixture = await setup(t)
  const { boundary, client, acme, walletId, address } = fixture
  const { organizationId, root } = acme
  const accounts = Array.from({ length: ACCOUNTS }, (_, index) => ethereumAccount(index + 1))
  await asRoot(fixture).submit("CREATE_WALLET_ACCOUNTS", { walletId, accounts })
  let verified = 0
  const { row } = LedgerMac.prototype
  t.intercept(LedgerMac.prototype, "row", {
    value(...parameters: Parameters<typeof row>) {
      if (parameters[1] === organizationId) verified += 1
      return Reflect.apply(row, this, parameters)
    },
  })
  /** Rows verified and turns taken by orders that come at once, after a start. */
  const firstOrders = async (payloads: readonly string[], { turnOf = "", minBytes = 0 } = {}) => {
    await boundary.restart()
    const turns = observeTurns(t, fixture)
    verified = 0
    const document = client.documents.get(organizationId)!
    const orders = payloads.map((payload) => {
      const parameters = signParams(address, payload.repeat(32))
      const type = "ACTIVITY_TYPE_SIGN_RAW_PAYLOAD_V2"
      const body = client.body(type, organizationId, parameters).padEnd(minBytes, " ")
      const xStamp = stampWith(root, body)
      return boundary.execute({ body: Buffer.from(body), xStamp, turnOf, documents: [document] })
    })
    for (const answer of await Promise.all(orders)) t.match(answer, { answer: { case: "outcome" } })
    return { verified, turns: turns.of(organizationId) }
  }
  const requireSlices = (orders: { verified: number; turns: number }, what: string) => {
    t.ok(orders.verified >= ACCOUNTS, `${what}: ${orders.verified} rows`)
    t.ok(orders.turns >= orders.verified / (2 * ROWS_PER_STEP), `${what}: others have their turns in between`)
  }
  const one = await firstOrders(["aa"])
  requireSlices(one, "one order")
  const three = await firstOrders(["bb", "cc", "dd"])
  t.ok(three.verified < 2 * one.verified, `${three.verified} rows for three orders`)
  const large = { turnOf: organizationId, minBytes: MAX_UNVERIFIED_BODY_BYTES + 1 }
  requireSlices(await firstOrders(["ee"], large), "an order whose stamp is verified before its body is read")
})
