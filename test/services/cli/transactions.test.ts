// Commands that send and sign transactions, and the one that asks the nodes of chains.
import { spawn } from "node:child_process"
import { once } from "node:events"
import { existsSync } from "node:fs"
import { join } from "node:path"
import t, { type Test } from "tap"
import { getAddress, keccak256, serializeTransaction } from "viem"
import { privateKeyToAccount } from "viem/accounts"
import { generateApiKey } from "../../../services/terminal-client/api-key.ts"
import { bindKey, writeKey } from "../../../services/terminal-client/key-folder.ts"
import { startAnvil } from "../../harness/anvil.ts"
import { freePort } from "../../harness/free-port.ts"
import { SolanaChain } from "../../harness/solana-chain.ts"
import { commandLine } from "./command-line.ts"
import { type Answer, fakeApi } from "./fake-api.ts"

const SEND = "/public/v1/submit/eth_send_transaction"
const ESTIMATE = "/public/v1/query/get_send_estimate"
const STATUS = "/public/v1/query/get_send_transaction_status"
const SIGN = "/public/v1/submit/sign_transaction"
const FROM = "0x70997970C51812dc3A010C7d01b50e0d17dc79C8"
const TO = "0x00000000000000000000000000000000000000aa"
const ID = "019b76da-a800-7000-8000-000000000001"

async function withKey(t: Test): Promise<NodeJS.ProcessEnv> {
  const COUNTERSIGN_DATA_DIR = t.testdir()
  const folder = join(COUNTERSIGN_DATA_DIR, "keys")
  await writeKey(folder, "root", generateApiKey())
  await bindKey(folder, "root", ID)
  return { COUNTERSIGN_DATA_DIR }
}

function completed(result: object): Answer {
  const status = "ACTIVITY_STATUS_COMPLETED"
  return { reply: { activity: { id: "a-1", organizationId: ID, status, result } } }
}

const SENT = completed({ ethSendTransactionResult: { sendTransactionStatusId: ID } })

/** An API that accepts sends, whose transaction has these statuses, one after the other. */
async function sendingApi(t: Test, statuses: readonly object[], sent = SENT) {
  let asked = 0
  return fakeApi(t, {
    [SEND]: sent,
    [ESTIMATE]: ESTIMATED,
    [STATUS]: () => ({ reply: statuses[Math.min(asked++, statuses.length - 1)] }),
  })
}

const ESTIMATED = {
  reply: { gasLimit: "25200", maxFeePerGas: "3000000000", maxPriorityFeePerGas: "1000000000" },
}
const INCLUDED = { txStatus: "INCLUDED", eth: { txHash: "0xabc" } }
const ASKING = ["send", "--chain", "eip155:8453", "--from", FROM, "--to", TO]
const PLAIN = [...ASKING, "--yes"]

t.test(
  "send shows what is paid, to whom, by which account and the fee at most, before it sends",
  async (t) => {
    const environment = await withKey(t)
    const api = await sendingApi(t, [INCLUDED])
    const shown = async (...words: string[]) =>
      (await commandLine(environment, ...words, "--api", api.url)).log
    const fees = ["--gas-limit", "21000", "--max-fee-per-gas", "2000000000"]
    const payment = await shown(...PLAIN, "--value", "250000000000000000", ...fees)
    t.ok(
      payment.startsWith(
        `Send 0.25 ETH (250000000000000000 wei) to ${getAddress(TO)} on Base (eip155:8453), from ${FROM}\n`,
      ),
      payment,
    )
    t.match(payment, /^ {4}Fee at most +0\.000042 ETH \(42000000000000 wei\)$/m)
    const call = await shown(...PLAIN, "--data", "0xa9059cbb")
    t.match(call, /^Call transfer\(address,uint256\) of .* with unreadable arguments \(4 bytes\) on Base/)
    t.match(call, /^ {4}Fee at most +0\.0000756 ETH /m)
    const on = (chain: string) =>
      shown("send", "--chain", chain, "--from", FROM, "--to", TO, "--value", "1000000000000000001", "--yes")
    t.match(await on("polygon"), /^Send 1\.000000000000000001 POL .* on Polygon \(eip155:137\), from /)
    t.match(
      await on("eip155:424242"),
      /^Send 1\.000000000000000001 of the chain's currency .* on eip155:424242, from /,
    )
    const bodies = api.seen.filter(({ path }) => path === SEND).map(({ body }) => JSON.parse(body))
    t.match(bodies[0], {
      type: "ACTIVITY_TYPE_ETH_SEND_TRANSACTION",
      organizationId: ID,
      parameters: {
        from: FROM,
        caip2: "eip155:8453",
        to: TO,
        value: "250000000000000000",
        gasLimit: "21000",
        maxFeePerGas: "2000000000",
      },
    })
    t.match(bodies[1]?.parameters, ESTIMATED.reply, "the body names what is shown, so that it binds")
    t.equal(bodies[2]?.parameters.caip2, "eip155:137", "a chain's name is its CAIP-2 name to the API")
  },
)

t.test("send asks, and without a terminal it takes --yes", async (t) => {
  const environment = await withKey(t)
  const api = await sendingApi(t, [INCLUDED])
  const sent = () => api.seen.filter(({ path }) => path === SEND).length
  const refused = await commandLine(environment, ...ASKING, "--value", "7", "--api", api.url)
  t.match(refused, {
    status: 2,
    log: /^Send 0\.000000000000000007 ETH [^]*no terminal to ask at; add --yes/,
  })
  t.equal(sent(), 0)
  t.equal(existsSync(join(String(environment["COUNTERSIGN_DATA_DIR"]), "requests")), false, "nothing is kept")
  const words = [...ASKING, "--value", "7", "--api", api.url]
  const atTerminal = async (answer: string) => {
    const command = ["node", "services/cli/main.ts", ...words].join(" ")
    const child = spawn("script", ["-qec", command, "/dev/null"], {
      env: { ...process.env, ...environment },
      stdio: ["pipe", "pipe", "ignore"],
    })
    let shown = ""
    child.stdout.on("data", (bytes: Buffer) => {
      if (!shown.includes("send? [y/N]") && (shown + bytes.toString()).includes("send? [y/N]"))
        child.stdin.write(`${answer}\n`)
      shown += bytes.toString()
    })
    const [status] = (await once(child, "exit")) as [number]
    return { status, shown }
  }
  t.match(await atTerminal("n"), { status: 3, shown: /Send .* ETH .*, from 0x7099.*nothing was sent/s })
  t.equal(sent(), 0)
  t.match(await atTerminal("y"), { status: 0, shown: /INCLUDED/ })
  t.equal(sent(), 1)
})

t.test("a repeated send is the kept request, whatever the fees are by then", async (t) => {
  const environment = await withKey(t)
  let maxFeePerGas = 1
  const status = "ACTIVITY_STATUS_CONSENSUS_NEEDED"
  const api = await fakeApi(t, {
    [SEND]: { reply: { activity: { id: ID, organizationId: ID, status, result: {} } } },
    [ESTIMATE]: () => ({
      reply: { gasLimit: "1000000000", maxFeePerGas: String(maxFeePerGas++), maxPriorityFeePerGas: "1" },
    }),
  })
  const again = () => commandLine(environment, ...PLAIN, "--value", "1", "--api", api.url)
  const [first, second] = [await again(), await again()]
  t.match(first, { status: 4, log: /Fee at most +0\.000000001 ETH/ })
  t.match(second, { status: 4, log: /again; for a new one: --again\nSend [^]*Fee at most +0\.000000001 ETH/ })
  const [body, repeated] = api.seen.filter(({ path }) => path === SEND).map((seen) => seen.body)
  t.equal(repeated, body, "one payment")
})

t.test("send follows the transaction until its end, and its exit status says which", async (t) => {
  const environment = await withKey(t)
  const ended = async (...statuses: object[]) => {
    const api = await sendingApi(t, statuses)
    return commandLine(environment, ...PLAIN, "--json", "--api", api.url)
  }
  const done = await ended({ txStatus: "INITIALIZED" }, { txStatus: "BROADCASTING" }, INCLUDED)
  t.match(done, { status: 0, log: "" })
  t.strictSame(JSON.parse(done.out), { sendTransactionStatusId: ID, ...INCLUDED })
  const failed = await ended({ txStatus: "FAILED", txError: "insufficient funds" })
  t.equal(failed.status, 3)
  t.match(JSON.parse(failed.out), { txStatus: "FAILED" })
  t.match(JSON.parse(failed.log), { error: { exitStatus: 3, message: "insufficient funds" } })
  const reverted = await ended({ ...INCLUDED, txError: "the transaction was mined and reverted: not today" })
  t.equal(reverted.status, 3)
  t.match(JSON.parse(reverted.log), { error: { message: /reverted: not today/ } })
})

t.test("send --no-wait ends with the first status, also one that is not the end", async (t) => {
  const api = await sendingApi(t, [{ txStatus: "INITIALIZED" }])
  const { status, out } = await commandLine(
    await withKey(t),
    ...PLAIN,
    "--no-wait",
    "--json",
    "--api",
    api.url,
  )
  t.equal(status, 0)
  t.strictSame(JSON.parse(out), { sendTransactionStatusId: ID, txStatus: "INITIALIZED" })
  const shown = await commandLine(await withKey(t), ...PLAIN, "--no-wait", "--api", api.url)
  t.match(shown, { status: 0, log: /^signed, not broadcast yet\nit goes on; ask again: npx countersign/m })
})

t.test("transaction replace and cancel show both transactions from the signed bytes, and ask", async (t) => {
  const environment = await withKey(t)
  const account = privateKeyToAccount(`0x${"11".repeat(32)}`)
  const signedTransaction = await account.signTransaction({
    chainId: 8453,
    nonce: 7,
    to: TO,
    value: 250_000_000_000_000_000n,
    gas: 21_000n,
    maxFeePerGas: 2_000_000_000n,
    maxPriorityFeePerGas: 1_000_000_000n,
  })
  const hash = keccak256(signedTransaction)
  let txStatus = "BROADCASTING"
  const api = await fakeApi(t, {
    "/public/v1/query/get_send_replacement": () => ({
      reply: {
        txStatus,
        from: account.address,
        caip2: "eip155:8453",
        nonce: "7",
        signedTransaction,
        gasLimit: "21000",
        cancelGasLimit: "25200",
        maxFeePerGas: "2200000000",
        maxPriorityFeePerGas: "1100000000",
      },
    }),
    "/public/v1/submit/eth_replace_transaction": completed({
      ethReplaceTransactionResult: { sendTransactionStatusId: ID },
    }),
    "/public/v1/submit/eth_cancel_transaction": completed({
      ethCancelTransactionResult: { sendTransactionStatusId: ID },
    }),
    [STATUS]: { reply: INCLUDED },
  })
  const run = (...words: string[]) => commandLine(environment, "transaction", ...words, "--api", api.url)
  const payment = `end 0.25 ETH (250000000000000000 wei) to ${getAddress(TO)} on Base (eip155:8453)`
  const replaced = await run("replace", ID, "--yes")
  t.ok(
    replaced.log.startsWith(
      `S${payment} again with other fees, in place of transaction ${hash} with nonce 7`,
    ),
  )
  t.match(replaced.log, /Fee at most +0\.0000462 ETH [^]*Waiting transaction[^]*Fee at most +0\.000042 ETH /)
  t.match(JSON.parse(replaced.out), { txStatus: "INCLUDED" })
  const cancelled = await run("cancel", ID, "--yes", "--max-fee-per-gas", "3000000000")
  t.ok(cancelled.log.startsWith(`Cancel transaction ${hash} with nonce 7: s${payment}`))
  t.match(cancelled.log, /Fee at most +0\.0000756 ETH /)
  const bodies = api.seen.filter(({ path }) => path.includes("submit")).map(({ body }) => JSON.parse(body))
  t.match(bodies, [
    { type: "ACTIVITY_TYPE_ETH_REPLACE_TRANSACTION", parameters: { nonce: "7", maxFeePerGas: "2200000000" } },
    { type: "ACTIVITY_TYPE_ETH_CANCEL_TRANSACTION", parameters: { nonce: "7", maxFeePerGas: "3000000000" } },
  ])
  const unasked = await run("cancel", ID)
  t.match(unasked, { status: 2, log: /no terminal to ask at; add --yes/ })
  const unseen = await run("replace", ID, "--json")
  t.match(unseen, { status: 2, log: /--json asks nothing: add --yes to send/ }, "nothing is asked unseen")
  t.equal(api.seen.filter(({ path }) => path.includes("submit")).length, 2)
  txStatus = "INCLUDED"
  t.match(await run("replace", ID, "--yes", "--again"), {
    status: 3,
    log: /is included: it waits no longer/,
  })
})

t.test("send that needs approval, or is denied, says so by its exit status", async (t) => {
  const environment = await withKey(t)
  const status = "ACTIVITY_STATUS_CONSENSUS_NEEDED"
  const activity = { id: "a-1", organizationId: ID, status, result: {} }
  const waiting = await sendingApi(t, [], { reply: { activity } })
  t.match(await commandLine(environment, ...PLAIN, "--api", waiting.url), {
    status: 4,
    log: /waiting for approval: sha256:/,
  })
  const message = "policy engine denied request explicitly"
  const denied = await sendingApi(t, [], { status: 403, reply: { code: 7, message } })
  t.match(await commandLine(environment, ...PLAIN, "--api", denied.url), {
    status: 3,
    log: `countersign: ${message}`,
  })
})

t.test("a mistake in a command line is one sentence, and nothing is sent", async (t) => {
  const environment = await withKey(t)
  const api = await sendingApi(t, [INCLUDED])
  const send = (...words: string[]) => [...PLAIN, ...words]
  const on = (chain: string) => ["send", "--chain", chain, "--from", FROM, "--to", TO]
  const sign = (hex: string, type = "ethereum") =>
    ["sign", "transaction", hex, "--sign-with", FROM].concat("--type", type)
  const mistakes: [string[], RegExp][] = [
    [send("--value", "0.25"), /^countersign: --value 0\.25: not a whole number of wei; 1 ETH is 10{18} wei$/],
    [send("--value", "0x5"), /--value 0x5: not a whole number of wei/],
    [send("--nonce", "-1"), /--nonce -1: not a whole number$/],
    [send("--max-fee-per-gas", "2gwei"), /--max-fee-per-gas 2gwei: not a whole number of wei/],
    [send("--data", "a9059cbb"), /--data a9059cbb: not bytes; write 0x and two hexadecimal digits for each/],
    [send("--data", "0xabc"), /--data 0xabc: not bytes/],
    [[...ASKING.slice(0, -1), "0x12"], /--to 0x12: not an Ethereum address/],
    [
      [...ASKING.slice(0, -1), FROM.replace("C51812", "c51812")],
      /--to 0x7099.*: not an Ethereum address; .*checksum/,
    ],
    [["send", "--chain", "base", "--from", "First", "--to", TO], /--from First: not an Ethereum address/],
    [
      on("ethereum-mainnet"),
      /--chain ethereum-mainnet: not a chain; write its CAIP-2 name, such as eip155:1/,
    ],
    [on("8453"), /--chain 8453: not a chain/],
    [on("solana"), /--chain solana: send pays on EVM chains; .*request sol_send_transaction/],
    [sign("02c0", "doge"), /--type doge: not a kind of transaction; use ethereum, solana, tron or bitcoin$/],
    [sign("zz"), /the transaction is not hexadecimal \(at byte 0\); give an unsigned ethereum transaction/],
    [sign("02c0"), /\(at byte \d+\); give an unsigned ethereum transaction in hexadecimal$/],
  ]
  for (const [words, sentence] of mistakes) {
    const { status, out, log } = await commandLine(environment, ...words, "--api", api.url)
    t.equal(status, 2, words.join(" "))
    t.equal(out, "")
    t.match(log, sentence)
    t.notMatch(log, /\n/, "one line")
    const asJson = await commandLine(environment, ...words, "--json", "--api", api.url)
    t.match(JSON.parse(asJson.log), { error: { exitStatus: 2, message: log.replace("countersign: ", "") } })
  }
  t.match(await commandLine(environment, "send", "--chain", "base"), { status: 2, log: /required option/ })
  t.equal(api.seen.length, 0)
})

t.test("sign transaction shows what it signs, and prints the signed transaction alone", async (t) => {
  const environment = await withKey(t)
  const api = await fakeApi(t, {
    [SIGN]: completed({ signTransactionResult: { signedTransaction: "02ff" } }),
  })
  const sign = (hex: string, ...words: string[]) =>
    commandLine(environment, "sign", "transaction", hex, "--sign-with", FROM, ...words, "--api", api.url)
  const transaction = { type: "eip1559", chainId: 1, nonce: 7, gas: 21_000n, to: TO, value: 5n } as const
  const unsigned = serializeTransaction({ ...transaction, maxFeePerGas: 3_000_000_000n })
  t.match(await sign(unsigned), {
    status: 0,
    out: "02ff",
    log: /^Sign .*send 0\.000000000000000005 ETH [^]*Fee at most +0\.000063 ETH [^]*Nonce +7$/m,
  })
  t.match(JSON.parse(api.seen.find(({ path }) => path === SIGN)?.body ?? ""), {
    type: "ACTIVITY_TYPE_SIGN_TRANSACTION_V2",
    parameters: { signWith: FROM, unsignedTransaction: unsigned, type: "TRANSACTION_TYPE_ETHEREUM" },
  })
  const creation = serializeTransaction({ type: "legacy", nonce: 0, gas: 1n, gasPrice: 1n, data: "0x6000" })
  t.match(await sign(creation), { log: /create a contract with 2 bytes of code on every chain/ })
  const other = await sign("0a02", "--type", "tron", "--json")
  t.match(other, { status: 0, log: "" })
  t.strictSame(JSON.parse(other.out), { signedTransaction: "02ff" })
  t.match(await sign("0a02", "--type", "Tron"), { log: /cannot be read/ })
})

t.test("chain status asks the nodes of every chain", async (t) => {
  const [anvil, solana] = [await startAnvil(t), await SolanaChain.start(t)]
  const chains = `eip155:31337=${anvil.url},solana:local=${solana.url}`
  const status = (COUNTERSIGN_CHAINS: string, ...words: string[]) =>
    commandLine({ COUNTERSIGN_CHAINS }, "chain", "status", ...words)
  t.match(await status(chains), {
    status: 0,
    out: /^eip155:31337 {2}block 0, \d+ ms\nsolana:local {2}block 1000, \d+ ms$/,
    log: "",
  })
  const silent = `http://127.0.0.1:${await freePort()}`
  const lost = await status(`${chains},base=${silent},eip155:5=${anvil.url}`, "--json")
  t.equal(lost.status, 5)
  t.match(JSON.parse(lost.out), {
    chains: [
      { chain: "eip155:31337", answers: true, height: "0" },
      { chain: "solana:local", answers: true, height: "1000" },
      { chain: "eip155:8453", answers: false, fault: /cannot be reached/ },
      { chain: "eip155:5", answers: false, fault: /the node belongs to chain eip155:31337; correct/ },
    ],
  })
  t.match(JSON.parse(lost.log), {
    error: { exitStatus: 5, message: "no usable node: eip155:8453, eip155:5" },
  })
  t.match(await status(""), { status: 2, log: /no chain is configured: set COUNTERSIGN_CHAINS=/ })
  t.match(await status("nonsense"), { status: 2, log: /COUNTERSIGN_CHAINS: / })
})
