// The published signer for Alloy and the published client for Rust sign real transactions; a real chain includes them.
import { execFile, execFileSync } from "node:child_process"
import { existsSync } from "node:fs"
import { join } from "node:path"
import { promisify } from "node:util"
import { setTimeout as pause } from "node:timers/promises"
import t from "tap"
import { getAddress, numberToHex, parseEther, recoverMessageAddress, type Hex } from "viem"
import { wallet } from "../e2e/wallets.ts"
import { startAnvil } from "../harness/anvil.ts"
import { userParams } from "../harness/api-client.ts"
import { sharedSystem } from "../harness/shared-system.ts"
import { newKey } from "../harness/stamper.ts"
import { type Json, privateKeyHex } from "../harness/system.ts"
import { sdkOf } from "./published.ts"

const CRATE = join(import.meta.dirname, "rust")
const TARGET = join(CRATE, "target")
const PROGRAM = join(TARGET, "debug", "judge")
const TO = "0x00000000000000000000000000000000000000aa"

const skip =
  !existsSync(PROGRAM) && `not built: cargo build --locked --manifest-path test/clients/rust/Cargo.toml`

type Output = { alloy: Hex[]; client: Hex; message: Hex; denied: string | null }

t.test("Alloy's signer and the client for Rust sign what a chain includes", { skip }, async (t) => {
  // Nothing is compiled if the program is that of its source.
  const build = ["build", "--quiet", "--locked", "--offline", "--manifest-path", join(CRATE, "Cargo.toml")]
  execFileSync("cargo", build, { env: { ...process.env, CARGO_TARGET_DIR: TARGET } })
  const anvil = await startAnvil(t)
  const system = await sharedSystem()
  const acme = await system.createOrganization()
  const { organizationId, root } = acme
  const address = getAddress(await wallet(system, acme, "Rust"))
  await anvil.call("anvil_setBalance", address, numberToHex(parseEther("1")))
  const alice = newKey()
  await sdkOf(system, organizationId, root).createUsers({ users: [userParams("alice", alice) as never] })
  const { stdout } = await promisify(execFile)(PROGRAM, {
    env: {
      BASE_URL: system.url,
      ORGANIZATION_ID: organizationId,
      API_PRIVATE_KEY: privateKeyHex(root),
      DENIED_API_PRIVATE_KEY: privateKeyHex(alice),
      SIGN_WITH: address,
      TO,
      CHAIN_ID: String(anvil.chainId),
    },
  })
  const { alloy, client, message, denied } = JSON.parse(stdout) as Output
  t.equal(alloy.length, 3, "legacy, with an access list, with a fee market")
  for (const raw of [...alloy, client]) {
    const hash = await anvil.call<string>("eth_sendRawTransaction", raw)
    const receiptOf = () => anvil.call<Json | null>("eth_getTransactionReceipt", hash)
    let receipt = await receiptOf()
    // A transaction is mined at once, and its receipt is there a moment later.
    for (; receipt === null; receipt = await receiptOf()) await pause(20)
    t.match(receipt, { status: "0x1", from: address.toLowerCase(), to: TO })
  }
  t.equal(BigInt(await anvil.call<string>("eth_getBalance", TO, "latest")), 1n + 2n + 3n + 3n)
  t.equal(await recoverMessageAddress({ message: "from Rust", signature: message }), address)
  t.match(denied, /^HTTP response was not successful: 403 .*No policies evaluated to outcome: Allow/)
})
