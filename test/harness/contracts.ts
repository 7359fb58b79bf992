import { readFileSync } from "node:fs"
import { join } from "node:path"
import { type Abi, encodeDeployData, type Hex } from "viem"
import { until } from "../services/worker/start-worker.ts"
import type { Anvil } from "./anvil.ts"

/** A contract of test/vectors/contracts, as the compiler named in it made it from the source. */
export type CompiledContract = { source: string; compiler: string; abi: Abi; bytecode: Hex }

const FOLDER = join(import.meta.dirname, "..", "vectors", "contracts")

export function readContract(name: string): CompiledContract {
  return JSON.parse(readFileSync(join(FOLDER, `${name}.json`), "utf8")) as CompiledContract
}

/** Deploys a contract by an account of the chain; returns its address, in lower case. */
export async function deploy(
  chain: Anvil,
  { abi, bytecode }: CompiledContract,
  args: readonly unknown[] = [],
): Promise<string> {
  const [from] = await chain.call<string[]>("eth_accounts")
  const data = encodeDeployData({ abi, bytecode, args })
  const hash = await chain.call("eth_sendTransaction", { from, data })
  let receipt: Receipt | null = null
  await until(
    async () => (receipt = await chain.call<Receipt | null>("eth_getTransactionReceipt", hash)) !== null,
    () => "the contract is not deployed",
  )
  return (receipt as unknown as Receipt).contractAddress.toLowerCase()
}

type Receipt = { contractAddress: string }
