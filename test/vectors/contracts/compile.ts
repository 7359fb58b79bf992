import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import solc from "solc"
import type { CompiledContract } from "../../harness/contracts.ts"

/** No metadata: the bytecode depends on the source's meaning alone. */
const SETTINGS = {
  evmVersion: "prague",
  optimizer: { enabled: true, runs: 200 },
  metadata: { appendCBOR: false, bytecodeHash: "none" },
  outputSelection: { "*": { "*": ["abi", "evm.bytecode.object"] } },
}

type Output = {
  contracts?: {
    [source: string]: {
      [name: string]: { abi: CompiledContract["abi"]; evm: { bytecode: { object: string } } }
    }
  }
  errors?: { formattedMessage: string }[]
}

/** All contracts of the sources in this folder, by name. @throws Error with the compiler's messages */
export function compileContracts(): { [name: string]: CompiledContract } {
  const files = readdirSync(import.meta.dirname).filter((file) => file.endsWith(".sol"))
  const content = (file: string) => readFileSync(join(import.meta.dirname, file), "utf8")
  const sources = Object.fromEntries(files.map((file) => [file, { content: content(file) }]))
  const input = { language: "Solidity", sources, settings: SETTINGS }
  const { contracts = {}, errors = [] } = JSON.parse(solc.compile(JSON.stringify(input))) as Output
  if (errors.length > 0) throw new Error(errors.map((error) => error.formattedMessage).join("\n"))
  const compiler = `solc ${solc.version()}, optimizer 200 runs, prague, no metadata`
  return Object.fromEntries(
    Object.entries(contracts).flatMap(([source, ofFile]) =>
      Object.entries(ofFile).map(([name, { abi, evm }]): [string, CompiledContract] => [
        name,
        { source, compiler, abi, bytecode: `0x${evm.bytecode.object}` },
      ]),
    ),
  )
}
