import type { EngineName, Secp256k1Engine } from "./engine/types.ts"

export type { EngineName, RecoverableSignature, Secp256k1Engine } from "./engine/types.ts"

/** In order of preference: constant-time C, the same C as WebAssembly, plain JavaScript. */
export const ENGINES: readonly EngineName[] = ["libsecp256k1", "libsecp256k1-wasm", "noble"]

/** @throws when the host has no build of the engine, or the engine fails the known answer */
export async function loadEngine(name: EngineName): Promise<Secp256k1Engine> {
  return requireKnownAnswer(await importEngine(name))
}

/** SHA-256 of "Satoshi Nakamoto", signed by the key 1: a published test vector. */
const KNOWN_DIGEST = "a0dc65ffca799873cbea0ac274015b9526505daaaed385155425f7337704883e"
const KNOWN_SIGNATURE =
  "934b1ea10a4b3c1757e2b0c017d0b6143ce3c9a7e6a4a49860d7a6ab210ee3d8" +
  "2442ce9d2b916064108014783e923ec36b49743e2ffa1c4496f01a512aafd9e5"

/** The engine of this process: the first that loads. `main.ts` logs its name at start. */
export const secp256k1: Secp256k1Engine = await firstThatLoads(ENGINES)

async function importEngine(name: EngineName): Promise<Secp256k1Engine> {
  switch (name) {
    case "libsecp256k1":
      return (await import("./engine/native.ts")).native
    case "libsecp256k1-wasm":
      return (await import("./engine/wasm.ts")).wasm
    case "noble":
      return (await import("./engine/noble.ts")).noble
    default:
      return name satisfies never
  }
}

async function firstThatLoads(names: readonly EngineName[]): Promise<Secp256k1Engine> {
  const faults: unknown[] = []
  for (const name of names) {
    try {
      return await loadEngine(name)
    } catch (fault) {
      faults.push(fault)
    }
  }
  throw new AggregateError(faults, "no secp256k1 engine works on this host")
}

function requireKnownAnswer(engine: Secp256k1Engine): Secp256k1Engine {
  const key = new Uint8Array(32)
  key[31] = 1
  const { signature } = engine.sign(Buffer.from(KNOWN_DIGEST, "hex"), key)
  if (Buffer.from(signature).toString("hex") === KNOWN_SIGNATURE) return engine
  throw new Error(`the secp256k1 engine ${engine.name} does not sign as RFC 6979 requires`)
}
