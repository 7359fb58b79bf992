import t from "tap"
import { canonicalChain, chainsSetting } from "../../../services/chains/chains.ts"

t.test("chains are read by CAIP-2 and by name, with one node or several", async (t) => {
  const chains = chainsSetting(
    "eip155:31337=http://localhost:8545|https://b.example/key, base=https://base.example",
  )
  t.same(
    [...chains.values()].map(({ caip2, namespace, urls }) => ({ caip2, namespace, urls })),
    [
      {
        caip2: "eip155:31337",
        namespace: "eip155",
        urls: ["http://localhost:8545", "https://b.example/key"],
      },
      { caip2: "eip155:8453", namespace: "eip155", urls: ["https://base.example"] },
    ],
  )
  t.equal(chainsSetting(undefined).size, 0)
})

t.test("the six chains of the interface's document have names", async (t) => {
  const names = ["ethereum", "ethereum-sepolia", "base", "base-sepolia", "polygon", "polygon-amoy"]
  const chains = chainsSetting(names.map((name) => `${name}=https://${name}.example`).join(","))
  t.same(
    [...chains.keys()],
    [1, 11155111, 8453, 84532, 137, 80002].map((id) => `eip155:${id}`),
  )
})

t.test("every published spelling of a Solana chain is the same chain", async (t) => {
  const mainnet = "solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp"
  t.equal(canonicalChain("solana:mainnet"), mainnet)
  t.equal(canonicalChain(`${mainnet}Kuc147dw2N9d`), mainnet)
  t.equal(canonicalChain(mainnet), mainnet)
  t.ok(chainsSetting("solana=https://node.example").has(mainnet))
})

t.test("a faulty list is refused without repeating an address, which may hold an access key", async (t) => {
  for (const text of [
    "eip155:1",
    "eip155:1=ftp://node/hunter2",
    "eip155:01=https://node/hunter2",
    "mainnet=https://node/hunter2",
    "eip155:1=https://node/hunter2|",
    "eip155:1=https://a/hunter2,ethereum=https://b/hunter2",
  ]) {
    const fault = await Promise.resolve()
      .then(() => chainsSetting(text))
      .catch((error: Error) => error)
    t.type(fault, Error, text)
    t.notMatch((fault as Error).message, /hunter2/, text)
  }
})
