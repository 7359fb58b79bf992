import { Fault } from "../../fault.ts"
import { compactSize, PsbtCursor, sized } from "./cursor.ts"
import { global as globals, input as inputs, output as outputs, type PsbtMap, valueOf } from "./psbt-map.ts"
import { LOCKTIME_THRESHOLD } from "./raw-transaction.ts"

/** Sequence of an input that states none. */
const FINAL_SEQUENCE = Uint8Array.of(0xff, 0xff, 0xff, 0xff)
/** Lock time of a transaction that states none. */
const NO_LOCKTIME = new Uint8Array(4)

/** Numbers of inputs and outputs that a PSBT of version 2 states. @throws Fault transaction */
export function countsOf(global: PsbtMap): { inputs: number; outputs: number } {
  const count = (type: number, name: string): number => {
    const cursor = new PsbtCursor(required(global, type, name))
    const value = cursor.number()
    cursor.requireEnd(name)
    return value
  }
  return {
    inputs: count(globals.inputCount, "the count of inputs"),
    outputs: count(globals.outputCount, "the count of outputs"),
  }
}

/**
 * The unsigned transaction of a PSBT of version 2, in the format without witnesses, with an empty script in each input.
 * @throws Fault transaction where a map lacks its part, or no lock time suits all inputs
 */
export function unsignedTransactionOf(
  global: PsbtMap,
  inputMaps: readonly PsbtMap[],
  outputMaps: readonly PsbtMap[],
): Uint8Array {
  return Buffer.concat([
    part(global, globals.transactionVersion, "the transaction's version"),
    compactSize(inputMaps.length),
    ...inputMaps.flatMap((map, index) => [
      part(map, inputs.previousId, `the previous transaction of input ${index}`),
      part(map, inputs.outputIndex, `the output that input ${index} spends`),
      sized(new Uint8Array(0)),
      valueOf(map, inputs.sequence)?.bytes ?? FINAL_SEQUENCE,
    ]),
    compactSize(outputMaps.length),
    ...outputMaps.flatMap((map, index) => [
      part(map, outputs.amount, `the amount of output ${index}`),
      sized(part(map, outputs.script, `the script of output ${index}`)),
    ]),
    locktimeOf(global, inputMaps),
  ])
}

/**
 * The greatest lock time that an input requires, by height where every input that requires one allows a height, else by time; without any,
 * the fallback (BIP-370, "Determining Lock Time").
 */
function locktimeOf(global: PsbtMap, maps: readonly PsbtMap[]): Uint8Array {
  const locks = maps.map((map, index) => ({
    height: lockOf(
      map,
      inputs.heightLocktime,
      `input ${index}`,
      (lock) => lock > 0 && lock < LOCKTIME_THRESHOLD,
    ),
    time: lockOf(map, inputs.timeLocktime, `input ${index}`, (lock) => lock >= LOCKTIME_THRESHOLD),
  }))
  const requiring = locks.filter(({ height, time }) => height !== undefined || time !== undefined)
  if (requiring.length === 0) return valueOf(global, globals.fallbackLocktime)?.bytes ?? NO_LOCKTIME
  for (const by of ["height", "time"] as const) {
    const all = requiring.flatMap((lock) => lock[by] ?? [])
    if (all.length === requiring.length) return uint32(Math.max(...all))
  }
  throw new Fault("transaction", "one input requires a lock time by height, another by time", global.end)
}

function lockOf(
  map: PsbtMap,
  type: number,
  name: string,
  isOfKind: (lock: number) => boolean,
): number | undefined {
  const value = valueOf(map, type)
  if (value === undefined) return undefined
  const lock = new PsbtCursor(value).uint32()
  if (isOfKind(lock)) return lock
  throw new Fault("transaction", `${name} requires a lock time of the other kind, type ${type}`, value.offset)
}

function required(map: PsbtMap, type: number, what: string) {
  const value = valueOf(map, type)
  if (value !== undefined) return value
  throw new Fault("transaction", `${what} is missing`, map.end)
}

function part(map: PsbtMap, type: number, what: string): Uint8Array {
  return required(map, type, what).bytes
}

function uint32(value: number): Uint8Array {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32LE(value)
  return bytes
}
