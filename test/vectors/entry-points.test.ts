// Hashes of user operations (ERC-4337), as the contracts that check them on every chain compute them.
import { existsSync, readFileSync } from "node:fs"
import { join } from "node:path"
import fc from "fast-check"
import t from "tap"
import { concat, encodeFunctionData, type Hex, toHex } from "viem"
import { entryPoint07Abi, toPackedUserOperation, type UserOperation } from "viem/account-abstraction"
import { JUDGES } from "../../scripts/run.ts"
import { userOperationHash } from "../../signer/core/payload/user-operation/hash.ts"
import { readUserOperation } from "../../signer/core/payload/user-operation/user-operation.ts"
import { type Anvil, startAnvil } from "../harness/anvil.ts"
import { until } from "../services/worker/start-worker.ts"

/** The deterministic deployment proxy, which anvil's chains have from their first block. */
const PROXY = "0x4e59b44847b379578588920ca78fbf26c0b4956c"

/** Salts of the authors, and the addresses that follow from them and from the creation code (EIP-1014). */
const ENTRY_POINTS = [
  {
    version: "0.7",
    salt: "0x90d8084deab30c2a37c45e8d47f49f2f7965183cb6990a98943ef94940681de3",
    address: "0x0000000071727De22E5E9d8BAf0edAc6f37da032",
  },
  {
    version: "0.8",
    salt: "0x0a59dbff790c23c976a548690c27297883cc66b4c67024f9117b0238995e35e9",
    address: "0x4337084D9E255Ff0702461CF8895CE9E3b5Ff108",
  },
] as const

const address = fc.stringMatching(/^[0-9a-f]{40}$/).map((digits): Hex => `0x${digits}`)
const bytes = fc.uint8Array({ maxLength: 120 }).map((one): Hex => toHex(one))
const uint = (bits: number) => fc.bigInt({ min: 0n, max: 2n ** BigInt(bits) - 1n })

const operation = fc
  .record({
    sender: address,
    nonce: uint(256),
    callData: bytes,
    callGasLimit: uint(128),
    verificationGasLimit: uint(128),
    preVerificationGas: uint(256),
    maxFeePerGas: uint(128),
    maxPriorityFeePerGas: uint(128),
    signature: fc.constant<Hex>("0x"),
    deployment: fc.oneof(fc.constant({}), fc.record({ factory: address, factoryData: bytes })),
    paying: fc.oneof(
      fc.constant({}),
      fc.record({
        paymaster: address,
        paymasterData: bytes,
        paymasterVerificationGasLimit: uint(128),
        paymasterPostOpGasLimit: uint(128),
      }),
    ),
  })
  .map(({ deployment, paying, ...rest }): UserOperation<"0.7"> => ({ ...rest, ...deployment, ...paying }))

/** Creation code; `npm run judges` fetches it. */
const fileOf = (version: string) => join(JUDGES, `entry-point-${version}.hex`)

const skip = ENTRY_POINTS.every(({ version }) => existsSync(fileOf(version)))
  ? false
  : "needs the EntryPoint contracts: npm run judges"

async function deployEntryPoint(chain: Anvil, version: string, salt: Hex, at: string): Promise<void> {
  const data = concat([salt, readFileSync(fileOf(version), "utf8") as Hex])
  const [from] = await chain.call<string[]>("eth_accounts")
  await chain.call("eth_sendTransaction", { from, to: PROXY, data, gas: toHex(15_000_000n) })
  await until(
    async () => (await chain.call("eth_getCode", at, "latest")) !== "0x",
    () => `no contract at ${at}`,
  )
}

const bigints = (_name: string, value: unknown) => (typeof value === "bigint" ? toHex(value) : value)

t.test("C-1819: the hash is that of the EntryPoint at its own address on a chain", { skip }, async (t) => {
  const chain = await startAnvil(t)
  for (const { version: entryPointVersion, salt, address: entryPointAddress } of ENTRY_POINTS) {
    await deployEntryPoint(chain, entryPointVersion, salt, entryPointAddress)
    for (const userOperation of fc.sample(operation, 40)) {
      const given = { chainId: chain.chainId, entryPointAddress, entryPointVersion, userOperation }
      const text = JSON.stringify(given, bigints)
      const args = [toPackedUserOperation(userOperation)] as const
      const data = encodeFunctionData({ abi: entryPoint07Abi, functionName: "getUserOpHash", args })
      const theirs = await chain.call<string>("eth_call", { to: entryPointAddress, data }, "latest")
      t.equal(toHex(userOperationHash(readUserOperation(text))), theirs, text)
    }
  }
})
