import t from "tap"
import {
  readBalanceFilter,
  readNewBalanceFilter,
} from "../../../../../signer/core/modules/webhooks/balance-filter.ts"
import { Refusal } from "../../../../../signer/core/refusal.ts"

const FIELD = "parameters.subscriptions[0].filtersJson"
const SOLANA = "So11111111111111111111111111111111111111112"
const MIXED = "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed"

const read = (addresses: unknown) => readNewBalanceFilter(JSON.stringify({ addresses }), FIELD)

function refusalOf(filtersJson: string) {
  try {
    readNewBalanceFilter(filtersJson, FIELD)
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    const { code, message, field } = error
    return { code, message, field }
  }
  return undefined
}

const refused = (addresses: unknown) => refusalOf(JSON.stringify({ addresses }))
const account = (number: number) => `eip155:1:0x${number.toString(16).padStart(40, "0")}`

t.test("accounts are returned as they were written", async (t) => {
  t.strictSame(read([`eip155:1:${MIXED}`, `solana:devnet:${SOLANA}`]), [
    { caip2: "eip155:1", address: MIXED },
    { caip2: "solana:devnet", address: SOLANA },
  ])
  t.equal(read(Array.from({ length: 50 }, (_, index) => account(index))).length, 50)
  // The same address on two chains is two accounts, and so are two addresses on one.
  t.equal(read([`eip155:1:${MIXED}`, `eip155:10:${MIXED}`, account(1)]).length, 3)
  t.equal(read([`solana:mainnet:${SOLANA}`, `solana:devnet:${SOLANA}`]).length, 2)
})

t.test("C-1887: an account that stands twice, also by another name of its chain, is refused", async (t) => {
  const byName = `solana:mainnet:${SOLANA}`
  const byHash = `solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp:${SOLANA}`
  for (const [first, again] of [
    [byName, byHash],
    [byHash, byName],
    [`solana:testnet:${SOLANA}`, `solana:4uhcVJyU9pJkvQyS88uRDiswHXSCkY3z:${SOLANA}`],
    [`solana:devnet:${SOLANA}`, `solana:EtWTRABZaYq6iMfeYKouRu166VU2xqa1:${SOLANA}`],
    [`eip155:1:${MIXED}`, `eip155:1:${MIXED.toLowerCase()}`],
    [account(1), account(1)],
  ] as const) {
    const refusal = refused([account(9), first, account(8), again, again])
    t.match(refusal, { code: "WEBHOOK_FILTER_INVALID", field: FIELD })
    t.ok(refusal?.message.startsWith(`"${first}" and "${again}" are one account; write {"addresses":`))
  }
  // In Base58 another case is another address.
  t.equal(refused([`solana:devnet:${SOLANA}`, `solana:devnet:${SOLANA.replace("S", "s")}`])?.code, undefined)
})

t.test("a stored subscription that names an account twice is read", async (t) => {
  const twice = [`solana:mainnet:${SOLANA}`, `solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp:${SOLANA}`]
  t.equal(readBalanceFilter(JSON.stringify({ addresses: twice }), FIELD).length, 2)
})

t.test("another text than a list of 1 to 50 accounts is refused with the form", async (t) => {
  const form =
    /^write \{"addresses":\["eip155:1:0x…"\]\}: CAIP-10 account ids of eip155 or solana, 1 to 50, each once$/
  const lists = [[], account(1), [1], [account(1), null], Array.from({ length: 51 }, (_, at) => account(at))]
  const texts = [
    ...lists.map((addresses) => JSON.stringify({ addresses })),
    "",
    "[]",
    "null",
    "{",
    "{}",
    `{"addresses":["${account(1)}"],"tokens":[]}`,
    `{"tokens":["${account(1)}"]}`,
    // The last of both is a sound list.
    `{"addresses":[],"addresses":["${account(1)}"]}`,
    `{"addresses":[["${account(1)}"]]}`,
  ]
  for (const text of texts)
    t.match(refusalOf(text), { code: "WEBHOOK_FILTER_INVALID", field: FIELD, message: form }, text)
})

t.test("a text that is no account is named", async (t) => {
  for (const text of [
    "",
    "eip155:1",
    `eip155:01:${MIXED}`,
    `eip155:0:${MIXED}`,
    `eip155:x1:${MIXED}`,
    `eip155:1x:${MIXED}`,
    `x eip155:1:${MIXED}`,
    `eip155:1:${MIXED}:1`,
    "eip155:1:0x01",
    `eip155:1:${MIXED.slice(0, -1)}0`,
    "solana:mainnet:0x0000000000000000000000000000000000000001",
    `eip155:1:${SOLANA}`,
    `solana::${SOLANA}`,
    `solana:${"m".repeat(33)}:${SOLANA}`,
  ]) {
    const refusal = refused([text])
    t.match(refusal, { code: "WEBHOOK_FILTER_INVALID", field: FIELD })
    t.ok(refusal?.message.startsWith(`"${text}" is no account; write {"addresses":`), text)
  }
})

t.test("accounts of other chains are not served", async (t) => {
  t.strictSame(refused(["tron:728126428:TJmmqjb1DK9TTZbQXzRQ2AuA94z4gKAPFh"]), {
    code: "WEBHOOK_EVENT_NOT_SERVED",
    field: FIELD,
    message:
      "balances of tron:728126428 are not followed by this service; name addresses of eip155 or solana",
  })
})
