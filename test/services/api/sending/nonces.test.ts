// Nonces of sends beside open ones, on a real chain and a real database.
import { createHash, randomUUID } from "node:crypto"
import { create } from "@bufbuild/protobuf"
import t, { type Test } from "tap"
import {
  FillValue,
  type NeededFill,
  NeededFillSchema,
} from "../../../../proto/gen/countersign/signer/v1/signer_pb.ts"
import { nextNonces } from "../../../../services/api/sending/nonces.ts"
import { insertSends, type NewSend } from "../../../../services/api/store/sends.ts"
import { chainsSetting } from "../../../../services/chains/chains.ts"
import { EthereumNode } from "../../../../services/chains/ethereum.ts"
import { startAnvil } from "../../../harness/anvil.ts"
import { freshDatabase } from "../../../harness/database.ts"
import { rpcFront } from "../../../harness/rpc-front.ts"

const TO = "0x00000000000000000000000000000000000000aa"
const FROM = "0x00000000000000000000000000000000000000bb"
const PAYMASTER = "0x00000000000000000000000000000000000000cc"
const DELEGATE = "0x00000000000000000000000000000000000000dd"
const { NONCE, GAS_STATION_NONCE, IS_DELEGATED, PAYMASTER_NONCE } = FillValue
const DELEGATED = [NONCE, GAS_STATION_NONCE, IS_DELEGATED]

async function start(t: Test) {
  const chain = await startAnvil(t)
  const front = await rpcFront(t, chain)
  const caip2 = `eip155:${chain.chainId}`
  const { sql } = await freshDatabase(t)
  const node = new EthereumNode([...chainsSetting(`${caip2}=${front.url}`).values()][0]!)
  const call = { to: TO, value: "1", data: new Uint8Array() }
  const next = (more: Partial<NeededFill>) =>
    nextNonces(create(NeededFillSchema, { caip2, from: FROM, calls: [call], ...more } as never), node, sql)
  /** Stores an open transaction, as the API does with an outcome. */
  const open = (more: Partial<NewSend>) =>
    sql.begin((tx) => {
      const send = { caip2, chain: caip2, account: FROM, nonce: 0n, raw: new Uint8Array(), ...more }
      const ids = { organizationId: randomUUID(), id: randomUUID(), activityId: randomUUID() }
      const hash = createHash("sha256").update(ids.id).digest("hex")
      return insertSends(tx, [{ ...ids, hash, lastValidBlockHeight: 0n, createdMs: 1, ...send }])
    })
  const delegated = () => chain.call("anvil_setCode", FROM, `0xef0100${DELEGATE.slice(2)}`)
  return { chain, front, sql, next, open, delegated }
}

t.test("a nonce of the delegate that an open send uses is not given again", async (t) => {
  const { next, open, delegated } = await start(t)
  await delegated()
  const sponsored = {
    sponsor: true,
    delegate: DELEGATE,
    paymaster: PAYMASTER,
    values: [...DELEGATED, PAYMASTER_NONCE],
  }
  t.match(await next(sponsored), { gasStationNonce: "0", paymasterNonce: 0n, isDelegated: true })
  const use = { account: PAYMASTER, delegator: FROM }
  await open({ ...use, nonce: 0n, gasStationNonce: 0n })
  await open({ ...use, nonce: 1n, gasStationNonce: 1n })
  t.match(await next(sponsored), { gasStationNonce: "2", paymasterNonce: 2n })
  t.match(
    await next({ ...sponsored, from: TO }),
    { gasStationNonce: "0", paymasterNonce: 2n },
    "of another account",
  )
})

t.test("an authorization uses a nonce of its account, also for the account's own sends", async (t) => {
  const { next, open } = await start(t)
  await open({ account: PAYMASTER, delegator: FROM, nonce: 0n, gasStationNonce: 0n, authorizationNonce: 0n })
  t.match(await next({ values: [NONCE] }), { nonce: 1n })
  const batch = { delegate: DELEGATE, values: DELEGATED }
  t.match(await next(batch), { nonce: 1n, gasStationNonce: "1", isDelegated: false })
  await open({ delegator: FROM, nonce: 1n, gasStationNonce: 1n, authorizationNonce: 2n })
  t.match(await next({ values: [NONCE] }), { nonce: 3n })
})

t.test("a send that brings an authorization gets a nonce with its successor free", async (t) => {
  const { next, open, sql } = await start(t)
  await open({ nonce: 0n })
  await open({ nonce: 1n })
  await open({ nonce: 2n })
  await sql`update sends set status = 'FAILED' where nonce = 1`
  t.match(await next({ values: [NONCE] }), { nonce: 1n })
  t.match(await next({ delegate: DELEGATE, values: DELEGATED }), { nonce: 3n }, "a first batch")
  t.match(await next({ calls: [], values: [NONCE] }), { nonce: 3n }, "the end of a delegation")
})

t.test("behind an open end of its delegation an account counts as not delegated", async (t) => {
  const { next, open, delegated } = await start(t)
  await delegated()
  const batch = { delegate: DELEGATE, values: DELEGATED }
  t.match(await next(batch), { isDelegated: true, nonce: 0n })
  // The batch would otherwise be a call of an account without code: it succeeds and does nothing.
  await open({ delegator: FROM, nonce: 0n, authorizationNonce: 1n })
  t.match(await next(batch), { isDelegated: false, nonce: 2n })
})

t.test("a send that is mined while the node answers is not counted as free", async (t) => {
  const { chain, front, sql, next, open } = await start(t)
  await open({ nonce: 0n })
  front.on("eth_getTransactionCount", async (_call, pass) => {
    // Between the question and the answer.
    await chain.call("anvil_setNonce", FROM, "0x1")
    await sql`update sends set status = 'INCLUDED'`
    return pass()
  })
  t.match(await next({ values: [NONCE] }), { nonce: 1n })
  await sql`update sends set status = 'BROADCASTING'`
  await chain.call("anvil_setNonce", FROM, "0x0")
  front.on("eth_getTransactionCount", async (_call, pass) => {
    const earlier = await pass()
    await sql`update sends set status = 'INCLUDED'`
    return earlier
  })
  t.match(await next({ values: [NONCE] }), { nonce: 1n }, "also if the answer is older than that")
})
