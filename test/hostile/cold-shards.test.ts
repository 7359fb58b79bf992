// The first order of an organization after a start of the signer verifies the rows that the ledger has of it.
import t from "tap"
import { Authenticator } from "../../signer/enclave/ledger/mac.ts"
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
  const { row } = Authenticator.prototype
  t.intercept(Authenticator.prototype, "row", {
    value(...parameters: Parameters<typeof row>) {
      if (parameters[0] === organizationId) verified += 1
      return Reflect.apply(row, this, parameters)
    },
  })
  /** Rows verified and turns taken by orders that come at once, after a start. */
  const firstOrders = async (...payloads: string[]) => {
    await boundary.restart()
    const turns = observeTurns(t, fixture)
    verified = 0
    const document = client.documents.get(organizationId)!
    const orders = payloads.map((payload) => {
      const parameters = signParams(address, payload.repeat(32))
      const body = client.body("ACTIVITY_TYPE_SIGN_RAW_PAYLOAD_V2", organizationId, parameters)
      return client.order(body, stampWith(root, body), { document })
    })
    for (const answer of await Promise.all(orders)) t.match(answer, { is: "outcome" })
    return { verified, turns: turns.of(organizationId) }
  }
  const one = await firstOrders("aa")
  t.ok(one.verified >= ACCOUNTS, `${one.verified} rows`)
  t.ok(one.turns >= one.verified / (2 * ROWS_PER_STEP), "other orders have their turns in between")
  const three = await firstOrders("bb", "cc", "dd")
  t.ok(three.verified < 2 * one.verified, `${three.verified} rows for three orders`)
})
