// Answers of Solana's nodes: true ones of litesvm, and ones that no honest node gives.
import { json } from "node:stream/consumers"
import t, { type Test } from "tap"
import { canonicalChain } from "../../../services/chains/chains.ts"
import { NodeUnavailable } from "../../../services/chains/json-rpc.ts"
import { SolanaNode } from "../../../services/chains/solana.ts"
import { SolanaChain } from "../../harness/solana-chain.ts"
import { webServer } from "../../harness/web-server.ts"

const SIGNATURE = "1".repeat(64)

function nodeAt(url: string, reference = "local"): SolanaNode {
  return new SolanaNode({ caip2: `solana:${reference}`, namespace: "solana", reference, urls: [url] })
}

/** A node that answers every call with this result. */
async function lying(t: Test, result: unknown): Promise<SolanaNode> {
  const server = await webServer((request, response) => {
    void json(request).then((call) =>
      response.end(JSON.stringify({ id: (call as { id: number }).id, result })),
    )
  })
  t.teardown(() => server.close())
  return nodeAt(`http://127.0.0.1:${server.port}`)
}

t.test("a node says the newest block hash, heights and what it knows of a transaction", async (t) => {
  const chain = await SolanaChain.start(t)
  const node = nodeAt(chain.url)
  const blockhash = chain.svm.latestBlockhash()
  const lastValidBlockHeight = chain.lastValidBlockHeight
  t.same(await node.recentBlockhash(), { blockhash, lastValidBlockHeight })
  t.equal(await node.finalizedHeight(), lastValidBlockHeight - 150n)
  t.equal(await node.isUsable(blockhash), true)
  t.equal(await node.status(SIGNATURE), undefined)
  chain.produce(151)
  t.equal(await node.isUsable(blockhash), false)
})

t.test("C-1820: an owner's balance of a mint is that of all token accounts together", async (t) => {
  // Shapes of Agave's RPC documentation: getBalance, and getTokenAccountsByOwner as jsonParsed.
  const account = (amount: string) => ({
    pubkey: SIGNATURE,
    account: { data: { program: "spl-token", parsed: { info: { tokenAmount: { amount, decimals: 6 } } } } },
  })
  const context = { slot: 1 }
  t.equal(await (await lying(t, { context, value: 7 })).balance(SIGNATURE), 7n)
  const several = await lying(t, { context, value: [account("5"), account("18446744073709551615")] })
  t.equal(await several.tokenBalance(SIGNATURE, SIGNATURE), 18_446_744_073_709_551_620n)
  t.equal(await (await lying(t, { context, value: [] })).tokenBalance(SIGNATURE, SIGNATURE), 0n)
  for (const value of [null, "7", -1, 1.5])
    await t.rejects((await lying(t, { value })).balance(SIGNATURE), { name: "NodeUnavailable" })
  for (const value of [null, [null], [account("-5")], [{ account: {} }]])
    await t.rejects((await lying(t, { value })).tokenBalance(SIGNATURE, SIGNATURE), {
      name: "NodeUnavailable",
    })
})

t.test("a node of another chain is not asked for anything else", async (t) => {
  const chain = await SolanaChain.start(t)
  const [, mainnet = ""] = canonicalChain("solana:mainnet").split(":")
  await t.rejects(nodeAt(chain.url, mainnet).recentBlockhash(), {
    name: "NodeUnavailable",
    message: /does not belong to solana:5eykt4Us.*correct COUNTERSIGN_CHAINS/,
  })
  const own = chain.genesisHash.slice(0, 32)
  t.match(await nodeAt(chain.url, own).recentBlockhash(), { blockhash: chain.svm.latestBlockhash() })
})

t.test("answers that no honest node gives are refused", async (t) => {
  const asked: [string, (node: SolanaNode) => Promise<unknown>, unknown[]][] = [
    [
      "getLatestBlockhash",
      (node) => node.recentBlockhash(),
      [
        null,
        {},
        { value: { blockhash: "0OIl", lastValidBlockHeight: 1 } },
        { value: { blockhash: SIGNATURE } },
      ],
    ],
    ["getBlockHeight", (node) => node.finalizedHeight(), [null, -1, "12", 1.5, 2 ** 60]],
    ["isBlockhashValid", (node) => node.isUsable(SIGNATURE), [null, {}, { value: "true" }]],
    ["getSignatureStatuses", (node) => node.status(SIGNATURE), [null, {}, { value: [] }, { value: ["ok"] }]],
    [
      "getAccountInfo",
      (node) => node.durableNonce(SIGNATURE),
      [null, {}, { value: { data: "AAAA" } }, { value: { data: ["A".repeat(120) + "!"] } }],
    ],
  ]
  for (const [method, ask, results] of asked) {
    for (const result of results) {
      const thrown = await ask(await lying(t, result)).catch((error: unknown) => error)
      t.type(thrown, NodeUnavailable, `${method}: ${JSON.stringify(result)}`)
      t.match((thrown as Error).message, method)
    }
  }
})

t.test("an account that is gone, or too short, holds no durable nonce", async (t) => {
  for (const value of [null, { data: ["AAAA", "base64"] }])
    t.equal(await (await lying(t, { value })).durableNonce(SIGNATURE), undefined)
})
