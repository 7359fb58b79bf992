import t from "tap"
import { linesOfOutcome } from "../../../services/terminal-client/activities/outcome.ts"
import { statesOf } from "../../../services/terminal-client/activities/state.ts"
import { fakeApi } from "./fake-api.ts"

const id = (digit: number) => `0198c0de-0000-7000-8000-00000000000${digit}`

/** An activity that is completed, with the result of a send or another one. */
function completed(digit: number, result: object) {
  return {
    id: id(digit),
    organizationId: id(0),
    status: "ACTIVITY_STATUS_COMPLETED",
    fingerprint: "",
    type: "",
    createdAt: "",
    votes: [],
    result: { someResult: result } as Record<string, unknown>,
  }
}

const sent = (digit: number) => completed(digit, { sendTransactionStatusId: id(digit) })

t.test("the state of a send is that of its transaction, which may still wait for a block", async (t) => {
  const statuses: { [id: string]: object } = {
    [id(1)]: { txStatus: "INITIALIZED" },
    [id(2)]: { txStatus: "BROADCASTING" },
    [id(3)]: { txStatus: "INCLUDED" },
    [id(4)]: { txStatus: "INCLUDED", txError: "reverted" },
    [id(5)]: { txStatus: "FAILED", txError: "insufficient funds" },
  }
  const api = await fakeApi(t, {
    "/public/v1/query/get_send_transaction_status": (body) => {
      const reply = statuses[String(JSON.parse(body).sendTransactionStatusId)]
      return reply === undefined ? { status: 404, reply: { code: 5, message: "no" } } : { reply }
    },
  })
  const querying = { client: { url: api.url }, organizationId: id(0) }
  const waiting = { ...sent(7), status: "ACTIVITY_STATUS_CONSENSUS_NEEDED", result: {} }
  const failed = { ...sent(8), status: "ACTIVITY_STATUS_FAILED" }
  const sends = [1, 2, 3, 4, 5, 6].map(sent)
  const states = await statesOf([...sends, waiting, failed, completed(9, { walletId: "w" })], querying)
  t.strictSame(
    [...states.values()],
    [
      "signed, not broadcast yet",
      "signed, waits for a block",
      "included",
      "included, and reverted",
      "failed",
      "signed",
      "waiting",
      "failed",
      "completed",
    ],
  )
  t.equal(api.seen.length, sends.length, "only transactions of sends are asked for")
})

t.test("the receipt of an approved send says that it is signed, not that it is completed", (t) => {
  t.strictSame(linesOfOutcome(sent(1)), [
    `signed      activity ${id(1)}`,
    `its transaction is on its way to the chain; its state: npx countersign activity show ${id(1)}`,
  ])
  t.match(linesOfOutcome(completed(2, { walletId: "w" })), [/^completed {3}walletId w$/])
  t.end()
})
