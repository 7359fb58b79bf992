// Pays on a local chain with the unmodified published client, and asks the chain itself what became of it. The chain is the
// first one of COUNTERSIGN_CHAINS, which `npm start` was started with; its node must be anvil, which gives the account ether.
import { Turnkey } from "@turnkey/sdk-server"
import { createPublicClient, createTestClient, type Hex, http, parseEther } from "viem"
import { explain, fail, need } from "./development-values.ts"
import { done, expect, step } from "./steps.ts"

const RECIPIENT = "0x00000000000000000000000000000000000000aa"
const AMOUNT = parseEther("0.25")
const POLL_MS = 250

const [caip2 = "", node = ""] = (process.env["COUNTERSIGN_CHAINS"] ?? "").split(",")[0]?.split("=") ?? []
const client = new Turnkey({
  apiBaseUrl: need("BASE_URL"),
  apiPublicKey: need("API_PUBLIC_KEY"),
  apiPrivateKey: need("API_PRIVATE_KEY"),
  defaultOrganizationId: need("ORGANIZATION_ID"),
}).apiClient()
await client.getWhoami().catch(explain)
if (node === "")
  fail(
    "start anvil, and set COUNTERSIGN_CHAINS=eip155:31337=http://localhost:8545 for npm start and here: docs/sends.md",
  )

const chain = createPublicClient({ transport: http(node) })
const address = need("SIGN_WITH") as Hex
await createTestClient({ mode: "anvil", transport: http(node) }).setBalance({
  address,
  value: parseEther("1"),
})
const before = await chain.getBalance({ address: RECIPIENT })
step("account", `${address} has 1 ETH on ${caip2}`)

const { sendTransactionStatusId } = await client.ethSendTransaction({
  from: address,
  caip2: caip2 as "eip155:1",
  calls: [{ to: RECIPIENT, value: String(AMOUNT) }],
})
step("signed; followed as", sendTransactionStatusId)

let status = await client.getSendTransactionStatus({ sendTransactionStatusId })
while (status.txStatus !== "INCLUDED" && status.txStatus !== "FAILED") {
  await new Promise((resolve) => setTimeout(resolve, POLL_MS))
  status = await client.getSendTransactionStatus({ sendTransactionStatusId })
}
expect("it is included", status.txStatus === "INCLUDED")

const receipt = await chain.getTransactionReceipt({ hash: status.eth?.txHash as Hex })
expect("the chain has a receipt of success", receipt.status === "success")
expect("the recipient has the amount", (await chain.getBalance({ address: RECIPIENT })) - before === AMOUNT)
done()
