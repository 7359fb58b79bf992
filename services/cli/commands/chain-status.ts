import { SettingsError } from "../../../signer/core/settings/settings.ts"
import { type Chain, type Chains, chainsSetting } from "../../chains/chains.ts"
import { EthereumNode } from "../../chains/ethereum.ts"
import { NodeRefusal, NodeUnavailable } from "../../chains/json-rpc.ts"
import { SolanaNode } from "../../chains/solana.ts"
import { CliError, ExitCode, usage } from "../../terminal-client/exit.ts"
import { settingsError } from "../../terminal-client/settings.ts"
import { printResult, type Terminal } from "../../terminal-client/terminal.ts"

type State = { chain: string; answers: boolean; height?: string; milliseconds?: number; fault?: string }

/**
 * Asks the nodes of COUNTERSIGN_CHAINS, from this host.
 *
 * @throws {CliError} unreachable if one chain has no usable node
 */
export async function chainStatus(
  environment: NodeJS.ProcessEnv,
  options: { json?: boolean },
  terminal: Terminal,
): Promise<void> {
  const chains = readChains(environment["COUNTERSIGN_CHAINS"])
  if (chains.size === 0)
    throw usage("no chain is configured: set COUNTERSIGN_CHAINS=eip155:1=https://node.example")
  const states = await Promise.all([...chains.values()].map(stateOf))
  if (options.json) printResult(terminal, { chains: states }, options)
  else for (const state of states) terminal.print(lineOf(state))
  const silent = states.filter(({ answers }) => !answers)
  if (silent.length > 0)
    throw new CliError(ExitCode.unreachable, `no usable node: ${silent.map(({ chain }) => chain).join(", ")}`)
}

function readChains(text: string | undefined): Chains {
  try {
    return chainsSetting(text || undefined)
  } catch (error) {
    const fault = `COUNTERSIGN_CHAINS: ${(error as Error).message}`
    throw settingsError(new SettingsError([fault]))
  }
}

async function stateOf(chain: Chain): Promise<State> {
  const began = performance.now()
  try {
    const height = await heightOf(chain)
    const milliseconds = Math.round(performance.now() - began)
    return { chain: chain.caip2, answers: true, height: String(height), milliseconds }
  } catch (error) {
    if (!(error instanceof NodeUnavailable || error instanceof NodeRefusal)) throw error
    return { chain: chain.caip2, answers: false, fault: error.message }
  }
}

function heightOf(chain: Chain): Promise<bigint> {
  return chain.namespace === "solana"
    ? new SolanaNode(chain).finalizedHeight()
    : new EthereumNode(chain).blockNumber()
}

function lineOf({ chain, height, milliseconds, fault }: State): string {
  return fault === undefined ? `${chain}  block ${height}, ${milliseconds} ms` : `${chain}  ${fault}`
}
