// A process that changes a store in groups until it is killed, and prints the numbers of changes that are durable.
import { createSecretKey } from "node:crypto"
import { writeSync } from "node:fs"
import { CodeStore } from "../../../../signer/fetcher/codes/store.ts"

/** Key of the row of a change. */
export function writerKey(number: number): Uint8Array {
  const key = Buffer.alloc(16)
  key.writeUInt32BE(number)
  return key
}

const GROUP = 8

if (import.meta.main) {
  const [file = "", keyHex = ""] = process.argv.slice(2)
  const store = CodeStore.open(file, createSecretKey(Buffer.from(keyHex, "hex")))
  for (let first = 0; ; first += GROUP) {
    const numbers = Array.from({ length: GROUP }, (_, index) => first + index)
    const value = Buffer.alloc(200)
    for (const number of numbers)
      store.write({ put: [{ kind: "contact", key: writerKey(number), expiresMs: 1000, value }] })
    await store.whenDurable()
    writeSync(1, `${numbers.join(" ")}\n`)
  }
}
