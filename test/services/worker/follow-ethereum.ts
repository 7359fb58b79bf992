// Transactions of an EVM chain as the worker follows them, with a clock of the test.
import type { Test } from "tap"
import { finalitySetting } from "../../../services/chains/finality.ts"
import { createLogger } from "../../../services/common/logger.ts"
import { EthereumFollower } from "../../../services/worker/follow/ethereum.ts"
import { getSend } from "../../../services/worker/store/sends.ts"
import { reopenSends } from "../../../services/worker/store/unsettled-sends.ts"
import type { Anvil } from "../../harness/anvil.ts"
import { freshDatabase } from "../../harness/database.ts"
import { stateOf, storeSends, type StoredSend } from "./start-worker.ts"

/** A follower that polls when the test says so, at nodes of these addresses. */
export async function followEthereum(
  t: Test,
  { chainId }: Pick<Anvil, "chainId">,
  urls: string[],
  finality = "",
) {
  const { sql } = await freshDatabase(t)
  let nowMs = Date.now()
  const reference = String(chainId)
  const caip2 = `eip155:${chainId}`
  const follower = new EthereumFollower({
    sql,
    log: createLogger("test", "silent"),
    chain: { caip2, namespace: "eip155", reference, urls },
    confirmations: 1,
    finality: finalitySetting(finality),
    now: () => nowMs,
  })
  const poll = async ({ organizationId, id }: StoredSend, afterMs = 0) => {
    nowMs += afterMs
    const send = await getSend(sql, organizationId, id)
    if (send === undefined) throw new Error("the transaction is not stored")
    await follower.poll(send)
    return stateOf(sql, { id })
  }
  const store = async (send: StoredSend) => {
    await sql.begin((tx) => storeSends(tx, [send]))
    return send
  }
  /** As the worker does it, without its queue. */
  const settle = async (send: StoredSend, afterMs = 0) => {
    nowMs += afterMs
    const gone = await follower.settle()
    if (gone.length > 0) await reopenSends(sql, gone)
    return stateOf(sql, send)
  }
  return { sql, poll, store, settle, follower }
}
